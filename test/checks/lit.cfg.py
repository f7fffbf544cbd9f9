"""The checks on small inputs with the mock of LibTorch's headers."""

import os
import shlex

import lit.formats

config.name = "torchtidy checks"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".cpp", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_root, "test", "checks", "out")
# `not` and `count` are LLVM's.
config.environment["PATH"] = os.pathsep.join(
    [os.path.dirname(config.filecheck), os.environ["PATH"]])

plugin = os.path.join(config.build_root, "lib", f"torchtidy-llvm{config.llvm_major}.so")
tidy = os.path.join(config.build_root, "bin", "torchtidy-clang-tidy")
mock = os.path.join(config.source_root, "test", "Inputs", "mock")


def command(*words):
    return shlex.join(words)


# %check FILE CHECK [options]: see check_file.py.
config.substitutions += [
    ("%check", command(
        config.python, os.path.join(config.test_source_root, "check_file.py"),
        "--tidy", tidy, "--host", config.host_clang_tidy, "--plugin", plugin,
        "--filecheck", config.filecheck, "--mock", mock, "--work") + " %t"),
    ("%tidy", tidy),
    ("%host", command(config.host_clang_tidy, f"--load={plugin}")),
    ("%filecheck", config.filecheck),
    ("%mock", mock),
]

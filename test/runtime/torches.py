# Part of the torchtidy project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LibTorchs that the recorder is tested on, and programs built with them."""

import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class Torch:
    """One LibTorch and the test programs built with it."""

    def __init__(self, name, includes, libs, build):
        self.name, self.includes, self.libs, self.build = name, includes, libs, build
        self.folder = os.path.join(build, "test", "runtime", name)

    def compile(self):
        os.makedirs(self.folder, exist_ok=True)
        cxx = os.environ.get("CXX", "clang++-19")
        lib = os.path.join(self.build, "lib")
        source = os.path.join(HERE, "programs", "Programs.cpp")
        header = os.path.join(ROOT, "runtime", "include", "torchtidy", "torchtidy.h")
        obj, program, plugin, host = (os.path.join(self.folder, n) for n in (
            "programs.o", "programs", "plugin.so", "host"))
        inputs = [source, header, os.path.join(HERE, "programs", "PluginHost.cpp")]
        newest = max(os.path.getmtime(i) for i in inputs)
        if all(os.path.exists(o) and os.path.getmtime(o) > newest
               for o in (obj, program, plugin, host)):
            return
        flags = ["-std=c++17", "-O1", "-gline-tables-only", "-fPIC",
                 "-I" + os.path.join(ROOT, "runtime", "include")]
        rpath = ":".join([lib] + self.libs)
        link = [f"-L{d}" for d in [lib] + self.libs] + [
            "-ltorch_cpu", "-lc10", "-ltorchtidy", "-Wl,-rpath," + rpath]
        call([cxx, *flags, *self.includes, "-c", source, "-o", obj])
        call([cxx, obj, "-o", program, *link])
        call([cxx, "-shared", obj, "-o", plugin, *link])
        call([cxx, "-O1", inputs[2], "-o", host, "-ldl"])

    def program(self, *args):
        return [os.path.join(self.folder, "programs"), *map(str, args)]


def call(command):
    subprocess.run(command, check=True)


def cuda_include(torch):
    """CUDA's headers: CUDA_HOME, those that came with the wheel (tools/torch-wheel), or the toolkit's."""
    beside = os.path.join(os.path.dirname(torch.rstrip("/")), "cuda")
    homes = [os.environ.get("CUDA_HOME", beside), "/usr/local/cuda"]
    found = [h + "/include" for h in homes if os.path.exists(h + "/include/cuda_runtime_api.h")]
    return found[0] if found else None


def find_torches(build):
    if os.path.exists("/usr/include/torch/csrc/api/include/torch/torch.h"):
        yield Torch("1.13", ["-I/usr/include/torch/csrc/api/include"], [], build)
    else:
        yield "skipped: Debian's LibTorch (libtorch-dev is not installed)"
    wheel = os.environ.get("TORCHTIDY_TORCH211")
    if wheel and os.path.isdir(os.path.join(wheel, "include")):
        include = os.path.join(wheel, "include")
        yield Torch("2.11", ["-isystem", include + "/torch/csrc/api/include",
                             "-isystem", include], [os.path.join(wheel, "lib")], build)
    else:
        yield "skipped: LibTorch 2.11 (TORCHTIDY_TORCH211 names no unpacked wheel)"

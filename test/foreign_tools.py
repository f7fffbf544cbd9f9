"""Tools of others work with what we make: LLVM's runner, fix-it applier, diff filter.

    foreign_tools.py BUILD
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INPUT = ROOT / "test/checks/retained-graph/fixes.cpp"


def call(command, **more):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, **more)


def run_clang_tidy(build, work):
    """Parallel runner of LLVM with the stand-alone clang-tidy as its binary."""
    done = call(["run-clang-tidy-19", "-quiet", "-p", work, "-clang-tidy-binary",
                 build / "bin/torchtidy-clang-tidy", "-checks=-*,torch-*"])
    return "[torch-retained-graph]" in done.stdout, done.stdout + done.stderr


def run_clang_tidy_with_plugin(build, work):
    done = call(["run-clang-tidy-19", "-quiet", "-p", work, "-clang-tidy-binary", "clang-tidy-19",
                 f"-load={build / 'lib/torchtidy-llvm19.so'}", "-checks=-*,torch-*"])
    return "[torch-retained-graph]" in done.stdout, done.stdout + done.stderr


def apply_replacements(build, work):
    """Exported fixes are applied by clang-apply-replacements, and compile."""
    copy = work / "input.cpp"
    fixes = work / "fixes"
    fixes.mkdir()
    done = call([build / "bin/torchtidy-clang-tidy", "--quiet", "--checks=-*,torch-retained-graph", "-p", work,
                 f"--export-fixes={fixes / 'fixes.yaml'}", copy])
    before = copy.read_text()
    done = call(["clang-apply-replacements-19", fixes])
    after = copy.read_text()
    compiles = call(["clang++-19", "-fsyntax-only", "-std=c++17", "-isystem", ROOT / "test/Inputs/mock", copy])
    good = done.returncode == 0 and "total += loss.detach();" in after and compiles.returncode == 0
    copy.write_text(before)
    return good, done.stdout + done.stderr + compiles.stderr + after


def clang_tidy_diff(build, work):
    """Only changed lines are reported by clang-tidy-diff."""
    line = next(n for n, text in enumerate((work / "input.cpp").read_text().splitlines(), 1)
                if text.strip() == "total += loss;")
    diff = f"--- a/input.cpp\n+++ b/input.cpp\n@@ -{line - 1},0 +{line},1 @@\n+    total += loss;\n"
    done = call(["clang-tidy-diff-19.py", "-p1", "-path", work, "-quiet", "-clang-tidy-binary",
                 build / "bin/torchtidy-clang-tidy", "-checks=-*,torch-*"], input=diff, cwd=work)
    return done.stdout.count("[torch-retained-graph]") == 1, done.stdout + done.stderr


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    passed = failed = 0
    for test in (run_clang_tidy, run_clang_tidy_with_plugin, apply_replacements, clang_tidy_diff):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            text = INPUT.read_text().replace('"../Inputs/net.h"', '"net.h"')
            (work / "input.cpp").write_text(text)
            shutil.copy(ROOT / "test/checks/Inputs/net.h", work)
            (work / "compile_commands.json").write_text(json.dumps([{
                "directory": folder, "file": "input.cpp",
                "arguments": ["clang++-19", "-std=c++17", "-isystem", str(ROOT / "test/Inputs/mock"),
                              "-c", "input.cpp"]}]))
            good, said = test(build, work)
        if good:
            passed += 1
        else:
            failed += 1
            print(f"{test.__name__}: {test.__doc__}\n{said}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

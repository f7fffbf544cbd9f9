"""Every fix that is offered for the tests' programs, under real LibTorch headers.

    fixes.py BUILD --torch NAME=INCLUDE[:INCLUDE...]

All fixes are applied to copies. These must compile, every finding that had a fix must be
gone, and nothing may be reported that was not reported before.
"""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import real_headers

ROOT = real_headers.ROOT
ROUNDS = 3  # fixes that touch each other are applied one after the other


class Copies:
    """The programs in a folder of their own, with a compile database."""

    def __init__(self, work, build, files, includes):
        self.work, self.build = work, build
        for folder in ("checks", "cases", "Inputs"):
            shutil.copytree(ROOT / "test" / folder, work / "test" / folder)
        flags = [word for folder in includes for word in ("-isystem", folder)]
        (work / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(work), "file": str(work / path.relative_to(ROOT)),
              "arguments": ["c++", "-std=c++17", *flags, "-c", str(work / path.relative_to(ROOT))]}
             for path in files]))

    def check(self, *options):
        report = self.work / "report.json"
        report.unlink(missing_ok=True)
        done = subprocess.run(
            [self.build / "bin/torchtidy", "check", "-p", self.work, "--format=json", "-o", report, "--no-link",
             "--fail-on=never", "--allow-incomplete", "--profile=" + real_headers.PROFILES, *options],
            capture_output=True, text=True, cwd=self.work)
        if done.returncode or not report.exists():
            raise SystemExit(f"torchtidy check ended with {done.returncode}\n{done.stderr[-4000:]}\n"
                             "0 passed, 1 failed")
        return json.loads(report.read_text())


def counted(findings):
    """How often each is said, wherever in its file; per file."""
    files = collections.defaultdict(collections.Counter)
    for f in findings:
        files[f["file"]][f["check"], f["message"], f["function"]] += 1
    return files


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--torch", required=True)
    args = parser.parse_args()
    name, includes = args.torch.split("=", 1)
    files = list(real_headers.lit_inputs()) + list(real_headers.cases(real_headers.registry()))

    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="torchtidy-fixes-") as folder:
        copies = Copies(pathlib.Path(folder).resolve(), args.build, files, includes.split(":"))
        first = copies.check()["findings"]
        fixable = collections.Counter(f["file"] for f in first if f["fixes"])
        for _ in range(ROUNDS):
            copies.check("--fix")
        told = copies.check()
        before, after = counted(first), counted(told["findings"])
        skipped = {s["file"]: s["reason"] for s in told["files"]["skipped"]}
        left = collections.Counter(f["file"] for f in told["findings"] if f["fixes"])
        for file in sorted(fixable):
            new = after[file] - before[file]
            wrong = []
            if file in skipped:
                wrong.append("does not compile any more: " + skipped[file])
            if left[file]:
                wrong.append(f"{left[file]} findings still have a fix")
            if new:
                wrong.append(f"new: {sorted(new)}")
            if sum(before[file].values()) - sum(after[file].values()) < fixable[file] and file not in skipped:
                wrong.append("not all that had a fix are gone")
            passed, failed = passed + (not wrong), failed + bool(wrong)
            for what in wrong:
                print(f"{pathlib.Path(file).relative_to(copies.work)}: {what}")
        kinds = collections.Counter(f["check"] for f in first if f["fixes"])
    if not fixable:
        print("no fix was offered")
        failed += 1
    print(f"LibTorch {name}: {sum(kinds.values())} fixes in {len(fixable)} programs: "
          + ", ".join(f"{count} of {check}" for check, count in sorted(kinds.items())))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

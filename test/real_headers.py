"""The inputs of the check tests and the case programs under real LibTorch headers.

    real_headers.py BUILD --torch NAME=INCLUDE[:INCLUDE...] [--std c++20] [--plugin N]

One `torchtidy check` over all of them, whose report is compared file by file
with the expectations in the inputs. With --plugin, the stock clang-tidy with
the plugin runs on N of them and must say the same.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROFILES = "default,strict,perf"
RUN = re.compile(r"// RUN: %check %s (torch-[\w-]+)\s*$", re.MULTILINE)
EXPECTED = re.compile(r"// CHECK-(?:MESSAGES|NOTES): :\[\[@LINE([+-]\d+)?\]\].*\[(torch-[\w-]+)\]")


def lit_inputs():
    """File -> (the check that its test runs, expected (line, check) pairs)."""
    inputs = {}
    for path in sorted((ROOT / "test/checks").rglob("*.cpp")):
        text = path.read_text()
        run = RUN.search(text)
        if not run:  # needs options or a driver of its own
            continue
        pairs = set()
        for number, line in enumerate(text.splitlines(), 1):
            for offset, check in EXPECTED.findall(line):
                pairs.add((number + int(offset or 0), check))
        inputs[path] = ({run[1]}, pairs)
    return inputs


def cases(checks):
    """File -> (checks, rows): a row is satisfied by any of its lines."""
    programs = {}
    for table in sorted((ROOT / "test/cases").rglob("EXPECTED.tsv")):
        folder = table.parent
        for line in table.read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            name, lines, kind, *optional = line.split("\t")
            rows = programs.setdefault(folder / name, [])
            if "torch-" + kind in checks:
                rows.append((set(map(int, lines.split("|"))), "torch-" + kind, bool(optional)))
    return programs


def registry():
    rows = json.loads((ROOT / "checks/checks.json").read_text())["checks"]
    return {row["name"] for row in rows}


def check_run(build, files, includes, std, work):
    flags = [word for folder in includes for word in ("-isystem", folder)]
    database = [{"directory": str(ROOT), "file": str(path),
                 "arguments": ["c++", f"-std={std}", *flags, "-c", str(path)]} for path in files]
    (work / "compile_commands.json").write_text(json.dumps(database))
    report = work / "report.json"
    done = subprocess.run(
        [build / "bin/torchtidy", "check", "-p", work, "--format=json", "-o", report, "--fail-on=never",
         "--allow-incomplete", "--profile=" + PROFILES],
        capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        print(done.stdout[-2000:], done.stderr[-4000:])
        raise SystemExit(f"torchtidy check ended with {done.returncode}\n0 passed, 1 failed")
    told = json.loads(report.read_text())
    # Skipped files are failures of their own; the others are still compared.
    return told["findings"], told["files"]["skipped"]


def plugin_run(build, path, includes, std):
    """(line, column, check) as the stock clang-tidy with the plugin says."""
    flags = [word for folder in includes for word in ("-isystem", folder)]
    done = subprocess.run(
        ["clang-tidy-19", f"--load={build / 'lib/torchtidy-llvm19.so'}", "--quiet", "--checks=-*,torch-*",
         f"--config={{CheckOptions: {{TorchProfiles: '{PROFILES}'}}}}", str(path), "--", f"-std={std}",
         *flags], capture_output=True, text=True)
    said = re.findall(r"^(/.*?):(\d+):(\d+): (?:warning|remark): .*\[(torch-[\w-]+)\]$", done.stdout, re.MULTILINE)
    return {(int(line), int(column), check) for file, line, column, check in said if file == str(path)}


class Tally:
    def __init__(self):
        self.passed = self.failed = 0

    def compare(self, path, unexpected, missing):
        if not unexpected and not missing:
            self.passed += 1
            return
        self.failed += 1
        for line, check in sorted(missing):
            print(f"{path.relative_to(ROOT)}:{line}: no report of {check}")
        for line, check in sorted(unexpected):
            print(f"{path.relative_to(ROOT)}:{line}: {check} is wrong here")


def judge(inputs, programs, found):
    tally = Tally()
    for path, (checks, pairs) in inputs.items():
        said = {(line, check) for line, _, check in found.get(path, ()) if check in checks}
        tally.compare(path, said - pairs, pairs - said)
    for path, rows in programs.items():
        said = {(line, check) for line, _, check in found.get(path, ())}
        missing = {(min(lines), check) for lines, check, optional in rows
                   if not optional and not any((line, check) in said for line in lines)}
        wrong = {(line, check) for line, check in said
                 if not any(line in lines and check == kind for lines, kind, _ in rows)}
        tally.compare(path, wrong, missing)
    return tally


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--torch", required=True)
    parser.add_argument("--std", default="c++17")
    parser.add_argument("--plugin", type=int, default=0)
    args = parser.parse_args()
    name, includes = args.torch.split("=", 1)
    includes = includes.split(":")

    inputs, programs = lit_inputs(), cases(registry())
    files = list(inputs) + list(programs)
    found = {}
    with tempfile.TemporaryDirectory() as work:
        findings, skipped = check_run(args.build, files, includes, args.std, pathlib.Path(work))
        for finding in findings:
            path = (ROOT / finding["file"]).resolve()
            found.setdefault(path, set()).add((finding["line"], finding["column"], finding["check"]))
    tally = judge(inputs, programs, found)
    for file in skipped:
        tally.failed += 1
        print(f"not analysed: {file}")

    step = max(1, len(files) // args.plugin) if args.plugin else 1
    for path in files[::step][:args.plugin]:
        said, ours = plugin_run(args.build, path, includes, args.std), found.get(path, set())
        tally.compare(path, {(l, c) for l, _, c in said - ours}, {(l, c) for l, _, c in ours - said})
    print(f"LibTorch {name}: {len(files)} files, {args.plugin} of them also with the plugin in clang-tidy-19")
    print(f"{tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())

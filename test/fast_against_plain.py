"""All programs of test/cases and all inputs of the check tests, parsed both ways.

    fast_against_plain.py BUILD [--include DIR[:DIR...]] [--every N]

Fast parsing must give the report of plain parsing to the byte, warm and cold.
With --every only each Nth file is taken: plain parsing is what costs here.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--include", default="/usr/include/torch/csrc/api/include")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    files = sorted([*(ROOT / "test/cases").rglob("*.cpp"), *(ROOT / "test/checks").rglob("*.cpp")])[::args.every]
    flags = [word for folder in args.include.split(":") for word in ("-isystem", folder)]
    with tempfile.TemporaryDirectory() as work:
        pathlib.Path(work, "compile_commands.json").write_text(json.dumps([
            {"directory": str(ROOT), "file": str(f), "arguments": ["c++", "-std=c++17", *flags, "-c", str(f)]}
            for f in files]))

        def reports(*options):
            done = subprocess.run([args.build / "bin/torchtidy", "check", "-p", work, "--format=json", "--explain-parse",
                                   *options], capture_output=True, text=True, cwd=ROOT,
                                  env={**os.environ, "XDG_CACHE_HOME": work})
            told = json.loads(done.stdout)
            by_file = {}
            for finding in told["findings"]:
                by_file.setdefault(finding["file"], []).append(finding)
            for skipped in told["functions_skipped"] + told["files"]["skipped"]:
                by_file.setdefault(skipped["file"], []).append(skipped)
            return by_file, done.stdout, done.stderr

        cold, cold_text, _ = reports()
        warm, warm_text, said = reports("--reparse")
        plain, plain_text, _ = reports("--plain")
    levels = re.findall(r": (shared headers with function bodies|shared headers|plain)(?:$|:)", said, re.M)
    print(", ".join(f"{levels.count(level)} {level}" for level in sorted(set(levels))))
    different = sorted(f for f in {*cold, *warm, *plain} if not cold.get(f) == warm.get(f) == plain.get(f))
    for file in different:
        print(f"not the same: {file}\n  cold {cold.get(file)}\n  warm {warm.get(file)}\n  plain {plain.get(file)}")
    same_text = cold_text == warm_text == plain_text
    if not same_text and not different:
        print("the reports differ outside of their findings")
    failed = len(different) or (0 if same_text else 1)
    print(f"{len(files) - len(different)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

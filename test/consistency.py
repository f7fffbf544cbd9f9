"""Everything that lists the checks agrees with checks/checks.json, and names live in one room.

    consistency.py [BUILD]     with BUILD the products are asked as well
"""

import json
import pathlib
import re
import subprocess
import sys

import new_check

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROFILES = {"default", "strict", "perf"}
SEVERITIES = {"remark", "warning", "error"}


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def expect(self, good, what):
        if good:
            self.passed += 1
        else:
            self.failed += 1
            print("consistency: " + what)


def read(path):
    path = ROOT / path
    return path.read_text() if path.exists() else ""


def one_check(report, row):
    name, kind = row["name"], row["class"]
    short = name.removeprefix("torch-")
    report.expect(name.startswith("torch-"), f"{name}: the name begins with torch-")
    report.expect(row["profile"] in PROFILES, f"{name}: unknown profile {row['profile']}")
    report.expect(row["severity"] in SEVERITIES, f"{name}: unknown severity {row['severity']}")
    report.expect((row["severity"] == "remark") == (row["profile"] == "perf"),
                  f"{name}: perf findings, and only they, are remarks")

    page = read(f"docs/checks/{short}.md")
    report.expect(page.startswith(f"# {name}\n"), f"docs/checks/{short}.md: missing, or without its title")
    report.expect(row["summary"] in page.replace("\n", " "),
                  f"docs/checks/{short}.md: does not carry the summary word for word")
    report.expect(f"({short}.md)" in read("docs/checks/index.md"), f"docs/checks/index.md: {name} is missing")
    report.expect(row["summary"] in read("docs/checks/index.md"),
                  f"docs/checks/index.md: does not carry the summary of {name} word for word")
    for option in re.findall(r"List\(\"(\w+)\"\)", read("checks/TorchCheck.cpp")):
        report.expect(f"`{option}`" in page + read("docs/checks/index.md"), f"{name}: option {option} is not described")

    header = read(f"checks/{kind}Check.h")
    plain = re.sub(r"\s*///\s*", " ", header)
    report.expect(f"class {kind}Check" in header, f"checks/{kind}Check.h: missing")
    report.expect(row["summary"] in plain, f"checks/{kind}Check.h: its comment is not the summary")
    report.expect(bool(read(f"checks/{kind}Check.cpp")), f"checks/{kind}Check.cpp: missing")
    if row["proof"] != "-":
        report.expect(bool(read(f"lib/Confirm/Proofs/{row['proof']}Proof.cpp")),
                      f"lib/Confirm/Proofs/{row['proof']}Proof.cpp: missing")
    tests = sorted((ROOT / "test/checks" / short).glob("*.cpp"))
    text = "".join(test.read_text() for test in tests)
    report.expect("bad_" in text and "ok_" in text, f"test/checks/{short}: needs bad_ and ok_ functions")


def names_stay_in_semantics(report):
    """Flow compares no name with a spelled one, except of the user's own variables."""
    compared = re.compile(r'[!=]= "\w|(?:starts|ends)_with\("|[.>]contains\("|StringSwitch|is_contained\(\{"')
    for path in sorted((ROOT / "lib/Flow").glob("*.*")):
        spelled = [line.strip() for line in path.read_text().splitlines() if compared.search(line)]
        report.expect(not spelled, f"{path.relative_to(ROOT)}: names that lib/Semantics should own: {spelled}")


def registry(report):
    """Whatever lists the checks; returns their names."""
    rows = json.loads(read("checks/checks.json"))["checks"]
    names = [row["name"] for row in rows]
    report.expect(names == sorted(set(names)), "checks.json: names are sorted and unique")
    for row in rows:
        one_check(report, row)
    pages = {p.stem for p in (ROOT / "docs/checks").glob("*.md")} - {"index"}
    report.expect(pages == {n.removeprefix("torch-") for n in names}, f"docs/checks: pages are {sorted(pages)}")
    classes = {p.stem.removesuffix("Check") for p in (ROOT / "checks").glob("*Check.cpp")} - {"Torch"}
    report.expect(classes == {row["class"] for row in rows}, f"checks/: classes are {sorted(classes)}")
    return names


def registry_of(tree):
    """Does all that lists the checks agree in another tree?"""
    global ROOT
    ours, ROOT = ROOT, tree
    report = Report()
    try:
        registry(report)
    finally:
        ROOT = ours
    return not report.failed


def main():
    report = Report()
    names_stay_in_semantics(report)
    names = registry(report)
    new_check.run(report.expect, registry_of)
    if len(sys.argv) > 1:
        tidy = pathlib.Path(sys.argv[1]) / "bin/torchtidy-clang-tidy"
        # All profiles: the registry lists checks of every profile.
        listed = subprocess.run([tidy, "--checks=-*,torch-*", "--list-checks"],
                                capture_output=True, text=True).stdout.split()
        report.expect([w for w in listed if w.startswith("torch-")] == names,
                      f"torchtidy-clang-tidy lists {listed[2:]}")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())

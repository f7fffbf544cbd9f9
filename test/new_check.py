"""tools/new-check on a copy of what it edits; consistency.py runs this."""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EDITED = ["checks", "docs/checks", "test/checks", "lib/Confirm/Proofs", "lib/Flow", "CHANGELOG.md"]


def copy_to(work):
    for path in EDITED:
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / path).is_dir():
            shutil.copytree(ROOT / path, work / path)
        else:
            shutil.copy(ROOT / path, work / path)


def content(work):
    return {str(path.relative_to(work)): path.read_text() for path in work.rglob("*") if path.is_file()}


def new_check(work, *words):
    return subprocess.run([sys.executable, ROOT / "tools/new-check", "--root", work, *words],
                          capture_output=True, text=True)


def listed(work):
    """What CMake compiles, what the module includes."""
    cmake = (work / "checks/CMakeLists.txt").read_text()
    module = (work / "checks/TorchTidyModule.cpp").read_text()
    return lambda kind: f"  {kind}Check.cpp" in cmake and f'#include "checks/{kind}Check.h"\n' in module


def run(expect, registry):
    """\\p registry(work) tells whether everything in a tree that lists checks agrees."""
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        copy_to(work)
        # The first and the last of every list, and one between.
        for name, kind in (("torch-aa-first", "AaFirst"), ("lost-mode", "LostMode"), ("torch-zz-last", "ZzLast")):
            done = new_check(work, name, "Finds what nobody wrote.")
            expect(done.returncode == 0, f"new-check {name}: {done.stderr}")
            expect(listed(work)(kind), f"new-check {name}: is not built")
        expect(registry(work), "new-check: what lists the checks does not agree afterwards")
        cmake = (work / "checks/CMakeLists.txt").read_text()
        expect(cmake.count("(") == cmake.count(")"), "new-check: breaks the list of sources")

        before = content(work)
        for words, why in (
                (("torch-lost-mode", "Finds what nobody wrote."), "exists already"),
                (("retained-graph", "Finds what nobody wrote."), "exists already"),
                (("Torch_Bad", "Finds what nobody wrote."), "no name"),
                (("torch-", "Finds what nobody wrote."), "no name"),
                (("../../escape", "Finds what nobody wrote."), "no name"),
                (("fine-name", "Two\nlines."), "one sentence"),
                (("fine-name", 'Finds a "quote".'), "one sentence")):
            done = new_check(work, *words)
            expect(done.returncode == 2 and why in done.stderr, f"new-check {words}: {done.returncode} {done.stderr}")
        # What is half there is not overwritten.
        (work / "docs/checks/half-done.md").write_text("mine")
        before["docs/checks/half-done.md"] = "mine"
        done = new_check(work, "half-done", "Finds what nobody wrote.")
        expect(done.returncode == 2 and "exists already" in done.stderr, f"new-check: half-done: {done.stderr}")
        # Nor is anything left behind where a write fails on the way.
        (work / "docs/checks/torn.md").symlink_to(work / "no/such/folder.md")
        done = new_check(work, "torn", "Finds what nobody wrote.")
        expect(done.returncode == 2 and "nothing was changed" in done.stderr, f"new-check: torn: {done.stderr}")
        expect(not (work / "test/checks/torn").exists(), "new-check: leaves a folder behind")
        expect(content(work) == before, "new-check: a refusal changed files")
        expect(new_check(work, "--help").returncode == 0, "new-check --help")

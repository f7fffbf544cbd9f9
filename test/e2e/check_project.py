"""Projects made for one test each, and how `torchtidy check` is asked about them.

Drivers beside this file import it; the first argument is the build folder.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve()
MOCK = ROOT / "test/Inputs/mock"
TORCHTIDY = BUILD / "bin/torchtidy"
PLUGIN = BUILD / "lib/torchtidy-llvm19.so"
SCHEMA = json.loads((ROOT / "docs/finding.schema.json").read_text())

LEAK = """#include <torch/torch.h>
#include <vector>
void train(torch::nn::Linear &m, std::vector<torch::Tensor> &losses) {
  for (int i = 0; i < 10; ++i) {
    auto loss = m->forward(torch::randn({2, 3})).mean();
    loss.backward();
    losses.push_back(loss);%s
  }
}
"""
BAD = LEAK % ""
GOOD = BAD.replace("push_back(loss)", "push_back(loss.detach())")


class Project:
    """A folder with sources, a compile database and a cache of its own."""

    def __init__(self, cache):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="torchtidy-check-")).resolve()
        self.cache = cache
        (self.path / ".git").mkdir()  # the project's root
        self.entries = []

    def put(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def source(self, name, text, command="c++ -std=c++17 -isystem {mock} -Iinc -c {file}", directory="."):
        path = self.put(name, text)
        folder = self.path / directory
        folder.mkdir(exist_ok=True)
        self.entries.append({"directory": str(folder), "file": os.path.relpath(path, folder),
                             "command": command.format(mock=MOCK, file=os.path.relpath(path, folder))})
        self.put("build/compile_commands.json", json.dumps(self.entries))
        return path

    def check(self, *args, **more):
        return run(self, TORCHTIDY, "check", *args, **more)

    def json(self, *args, status=None):
        done = self.check("--format=json", *args)
        assert status is None or done.returncode == status, (done.returncode, done.stderr, done.stdout[:2000])
        document = json.loads(done.stdout)
        validate(document)
        return document


def run(project, *command, cwd=None, **environment):
    # CI: what a run leaves in the cache is there when it ends.
    return subprocess.run([str(c) for c in command], cwd=cwd or project.path, text=True, capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=180,
                          env={**os.environ, "CI": "1", "XDG_CACHE_HOME": str(project.cache), **environment})


def validate(document):
    import jsonschema
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)


def expect(done, status, *texts):
    said = done.stdout + done.stderr
    assert done.returncode == status, f"status {done.returncode}, expected {status}:\n{said}"
    for text in texts:
        assert text in said, f"'{text}' is not in:\n{said}"
    return said


def found(document):
    return [(pathlib.Path(f["file"]).name, f["line"], f["check"]) for f in document["findings"]]


def run_tests(tests):
    """Runs those named behind the build folder, or all; returns the exit status."""
    wanted = sys.argv[2:]
    passed, failed, skipped = 0, 0, 0
    cache = pathlib.Path(tempfile.mkdtemp(prefix="torchtidy-cache-"))
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        project = Project(cache)
        begin = time.monotonic()
        try:
            reason = test(project)
            skipped += bool(reason)
            passed += not reason
            state = f"skipped: {reason}" if reason else "ok"
        except Exception:
            failed += 1
            state = "FAILED\n" + traceback.format_exc()
        print(f"{test.__name__:<42} {time.monotonic() - begin:6.1f} s  {state}", flush=True)
        shutil.rmtree(project.path, ignore_errors=True)
    shutil.rmtree(cache, ignore_errors=True)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed else 0


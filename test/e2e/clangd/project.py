"""A folder with sources and a compile database, opened in torchtidy-clangd."""

import json
import os
import pathlib
import subprocess
import tempfile

from editor import Editor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
MOCK = ROOT / "test/Inputs/mock"
STOCK = "clangd-19"

LEAK = """#include <torch/torch.h>
#include <vector>
void train(torch::nn::Linear &m, std::vector<torch::Tensor> &losses) {
  for (int i = 0; i < 10; ++i) {
    auto loss = m->forward(torch::randn({2, 3})).mean();
    loss.backward();
    losses.push_back(loss%s);%s
  }
}
"""
BAD = LEAK % ("", "")
GOOD = LEAK % (".detach()", "")
FOUND = [(7, "torch-retained-graph")]


class Project:
    def __init__(self, build):
        self.build = build
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="torchtidy-clangd-")).resolve()
        self.entries = []
        # Nobody's own configuration, nobody's cache.
        self.environment = {"HOME": str(self.path / "home"), "XDG_CONFIG_HOME": str(self.path / "config"),
                            "XDG_CACHE_HOME": str(self.path / "cache"), "CLANGD_FLAGS": ""}

    def put(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def source(self, name, text=BAD, flags=None):
        """A file with a command in the database."""
        path = self.put(name, text)
        self.entries.append({"directory": str(self.path), "file": name, "arguments": [
            "c++", "-std=c++17", *(flags or ["-isystem", str(MOCK)]), "-c", name]})
        self.put("compile_commands.json", json.dumps(self.entries))
        return path

    def editor(self, *args, stock=False, index=False):
        """`index`: in the background, as by default; a server that is asked to end first finishes its file."""
        command = STOCK if stock else self.build / "bin/torchtidy-clangd"
        settings = ["--log=error", *([] if index else ["--background-index=0"]), *args]
        return Editor([command, *settings], self.path, self.environment)

    def run(self, *command):
        return subprocess.run([str(c) for c in command], cwd=self.path, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=120, env={**os.environ, **self.environment})

    def checked(self, path, *args):
        """(line, check) of what `torchtidy check` finds in one file."""
        done = self.run(self.build / "bin/torchtidy", "check", "--format=json", "--fail-on=never", *args, path)
        assert done.returncode == 0, done.stderr
        return sorted((f["line"], f["check"]) for f in json.loads(done.stdout)["findings"]
                      if f["file"].endswith(path.name))


def found(diagnostics):
    """(line, check) of our diagnostics, as `checked` has them."""
    return sorted((d.range.start.line + 1, d.code) for d in diagnostics if str(d.code).startswith("torch-"))


def expect(got, wanted, what=""):
    assert got == wanted, f"{what}\n got    {got}\n wanted {wanted}"

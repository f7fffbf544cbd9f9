"""The samples on the pages of the checks compile, and are judged as the pages say.

    page_samples.py BUILD [--torch NAME=INCLUDE[:INCLUDE...]]

Each paragraph of code below "Bad" must draw a report of the page's check, and none
below "Good" any. Without --torch the mock of LibTorch's headers is used.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOCK = ROOT / "test/Inputs/mock"

# What the samples leave to the reader.
PRELUDE = """#include <torch/torch.h>
#include <memory>
#include <vector>
struct Batch { torch::Tensor data, target, x, y; };
using Batches = std::vector<Batch>;
using Loader = std::vector<Batch>;
struct Net : torch::nn::Module {
  Net() { layer = register_module("layer", torch::nn::Linear(64, 8)); }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(layer->forward(x)); }
  torch::nn::Linear layer{nullptr};
};
struct VggImpl : Net {};
TORCH_MODULE(Vgg);
using torch::Tensor;
"""
OPEN = """void sample%d(std::shared_ptr<Net> net, Loader &loader, torch::optim::Optimizer &optimizer, size_t batches,
            std::vector<torch::Tensor> &data, std::vector<torch::Tensor> &target, int accumulate, int64_t &hits) {{
"""
DEFINITION = re.compile(r"(struct|class|template|static|void|double|torch::Tensor) ?[\w<> ]*(\(.*\)|[\w:<> ]*) \{")


def samples(page):
    """(section, number of its block, code) of a page's code below Bad and Good."""
    section, blocks = None, {"Bad": 0, "Good": 0}
    for part in re.split(r"^(## [^\n]*|```cpp\n.*?^```)$", page, flags=re.MULTILINE | re.DOTALL):
        if part.startswith("## "):
            section = part[3:].strip()
        elif part.startswith("```cpp") and section in blocks:
            blocks[section] += 1
            yield section, blocks[section], part[len("```cpp\n"):-len("```")]


def program(code):
    """The sample as a file, and the (first, last) lines of its paragraphs.

    Definitions are one; statements are as many as blank lines outside of braces set
    apart, each in a function of its own.
    """
    if DEFINITION.match(code):
        first = PRELUDE.count("\n") + 1
        return PRELUDE + code, [(first, first + code.count("\n") - 1)]
    text, places = PRELUDE, []
    for number, part in enumerate(paragraphs(code)):
        text += OPEN % number
        first = text.count("\n") + 1
        text += part
        places.append((first, text.count("\n")))
        text += "}}\n"
    return text, places


def paragraphs(code):
    part, depth = "", 0
    for line in code.splitlines(keepends=True):
        if line.strip():
            part += line
            depth += line.count("{") - line.count("}")
        elif depth:
            part += line
        elif part:
            yield part
            part = ""
    if part:
        yield part


def check(build, files, includes, work):
    flags = [word for folder in includes for word in ("-isystem", folder)]
    (work / "compile_commands.json").write_text(json.dumps(
        [{"directory": str(work), "file": str(f), "arguments": ["c++", "-std=c++17", *flags, "-c", str(f)]}
         for f in files]))
    report = work / "report.json"
    done = subprocess.run(
        [build / "bin/torchtidy", "check", "-p", work, "--format=json", "-o", report, "--fail-on=never",
         "--allow-incomplete", "--no-cache", "--profile=default,strict,perf"],
        capture_output=True, text=True, cwd=work)
    if not report.exists():
        print(done.stdout[-2000:], done.stderr[-4000:])
        raise SystemExit("torchtidy check made no report\n0 passed, 1 failed")
    told = json.loads(report.read_text())
    found = {}
    for f in told["findings"]:
        found.setdefault(pathlib.Path(f["file"]).name, []).append((f["check"], f["line"]))
    return found, {pathlib.Path(s["file"]).name: s["reason"] for s in told["files"]["skipped"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--torch", default=f"mock={MOCK}")
    args = parser.parse_args()
    name, includes = args.torch.split("=", 1)

    passed = failed = 0

    def expect(good, what):
        nonlocal passed, failed
        passed, failed = passed + bool(good), failed + (not good)
        if not good:
            print("page samples: " + what)

    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder).resolve()
        expected = {}  # file -> (check, section, text, paragraphs)
        for page in sorted((ROOT / "docs/checks").glob("*.md")):
            if page.stem == "index":
                continue
            seen = set()
            for section, number, code in samples(page.read_text()):
                text, places = program(code)
                path = work / f"{page.stem.replace('-', '_')}_{section.lower()}{number}.cpp"
                path.write_text(text)
                expected[path] = ("torch-" + page.stem, section, text, places)
                seen.add(section)
            expect(seen == {"Bad", "Good"}, f"{page.name}: has samples for {sorted(seen)}")
        found, skipped = check(args.build, list(expected), includes.split(":"), work)
        for path, (kind, section, text, places) in expected.items():
            expect(path.name not in skipped, f"{path.name}: {skipped.get(path.name)}")
            lines = [line for check_name, line in found.get(path.name, ()) if check_name == kind]
            if section == "Good":
                expect(not lines, f"{path.name}: {kind} is wrong at line {lines} of\n{text}")
                continue
            expect(places, f"{path.name}: an empty sample")
            for begin, end in places:
                expect(any(begin <= line <= end for line in lines),
                       f"{path.name}: no report of {kind} in\n" + "\n".join(text.splitlines()[begin - 1:end]))
    print(f"LibTorch {name}: {len(expected)} samples")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

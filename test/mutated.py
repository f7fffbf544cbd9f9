"""Mutated programs: no check may crash or hang on one.

    mutated.py BUILD [--count N] [--seed S] [--only INDEX]

Programs of the tests and the examples are changed at random (mutations.py). Most stand in
namespaces, many in one file, and go through clang-tidy with the checks inside; the rest
are files of their own and go through `torchtidy check --fix`, with shared headers and
linking. A signal, an assertion, a sanitizer's report or more than 30 seconds of CPU time
fails; such mutants are kept in BUILD/test-logs/mutated.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

from mutations import Mutant, Source, Unchanged

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOCK = ROOT / "test/Inputs/mock"
PROFILES = "default,strict,perf"
FLAGS = ["-std=c++17", "-isystem", str(MOCK), "-ferror-limit=0", "-w"]
TOGETHER = 24  # mutants of a file; the last may lack braces
ALONE = 16     # one of so many is a file of its own
LINKED = 50    # those that are checked at once
SECONDS = 30
CLANG = "clang++-19"
TROUBLE = re.compile(r"^.*(?:ERROR: \w+Sanitizer|runtime error:|Assertion `|LLVM ERROR|UNREACHABLE).*$", re.MULTILINE)

PRELUDE = "".join(f"#include <{name}>\n" for name in """
    torch/torch.h torch/script.h ATen/Parallel.h ATen/ThreadLocalState.h ATen/core/LegacyTypeDispatch.h
    c10/core/DeviceGuard.h c10/core/InferenceMode.h c10/core/StreamGuard.h c10/core/thread_pool.h
    algorithm array atomic chrono cmath condition_variable cstdio cstring deque exception filesystem fstream
    functional future iomanip iostream iterator limits list map memory mutex numeric optional queue random set
    sstream stdexcept string thread tuple unordered_map utility vector""".split()
    if "/" not in name or (MOCK / name).exists())


def name_of(mutant):
    return f"m{mutant.index}".replace("-", "s")


def wrapped(mutants):
    """A file of them, and the line behind each."""
    text, ends = PRELUDE, []
    for m in mutants:
        text += f"namespace {name_of(m)} {{\n{m.text}\n}} // {name_of(m)}\n"
        ends.append(text.count("\n"))
    return text, ends


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, cwd, limited=True):
    """(what was wrong or "", stdout, stderr)"""
    try:
        # CPU time, as others may need the machine; the wall is for what waits for ever.
        done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=60 * SECONDS, preexec_fn=limit if limited else None)
    except subprocess.TimeoutExpired:
        return "hangs", "", ""
    trouble = TROUBLE.search(done.stderr)
    if done.returncode in (-24, -9):
        wrong = f"more than {SECONDS} s"
    elif done.returncode < 0:
        wrong = f"signal {-done.returncode}"
    else:
        wrong = ""
    if trouble:
        wrong = trouble[0].strip()
    return wrong, done.stdout, done.stderr


class Tests:
    def __init__(self, build, work, kept):
        self.build, self.work, self.kept = build, work, kept
        self.failed, self.clang = {}, 0
        self.prelude = []
        self.precompile()

    def precompile(self):
        """What all files include, if this build reads what that compiler writes."""
        header, empty = self.work / "prelude.h", self.work / "empty.cpp"
        header.write_text("#pragma GCC system_header\n" + PRELUDE)
        empty.write_text(PRELUDE)
        compiled = self.work / "prelude.h.pch"
        if run([CLANG, *FLAGS, "-x", "c++-header", header, "-o", compiled], self.work)[0]:
            return
        self.prelude = ["-include-pch", compiled]
        wrong, out, err = self.tidy(empty)
        if wrong or "error" in out + err:
            self.prelude = []

    def tidy(self, path):
        return run([self.build / "bin/torchtidy-clang-tidy", "--quiet", "--checks=-*,torch-*",
                    f"--config={{CheckOptions: {{TorchProfiles: '{PROFILES}'}}}}", path, "--", *FLAGS, *self.prelude],
                   self.work)

    def check(self, files):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.work))
        for path, text in files:
            (folder / path).write_text(text)
        (folder / "compile_commands.json").write_text(json.dumps(
            [{"directory": str(folder), "file": str(folder / path), "arguments": ["c++", *FLAGS, "-c", path]}
             for path, _ in files]))
        wrong, _, err = run(
            [self.build / "bin/torchtidy", "check", "-p", folder, "--format=json", "-o", folder / "report.json",
             "--fail-on=never", "--allow-incomplete", "--no-cache", "--fix", "--profile=" + PROFILES],
            folder, limited=len(files) == 1)
        told = None
        if not wrong:
            try:
                told = json.loads((folder / "report.json").read_text())
            except (OSError, ValueError):
                wrong = "no report: " + err[-300:]
        shutil.rmtree(folder)
        return wrong, told

    def clang_too(self, path):
        return bool(run([CLANG, "-fsyntax-only", "-Weverything", *FLAGS[:-1], path], self.work)[0])

    def fail(self, mutant, wrong, text):
        path = self.kept / f"{mutant.index}.cpp"
        path.write_text(text)
        if self.clang_too(path):
            self.clang += 1
            return
        self.failed[mutant.index] = f"mutant {mutant.index} of {mutant.source.path.relative_to(ROOT)} " \
                                    f"({', '.join(mutant.done)}): {wrong}\n    {path}"

    def together(self, mutants):
        """Which of a file with many mutants compile."""
        text, ends = wrapped(mutants)
        path = self.work / f"{name_of(mutants[0])}.cpp"
        path.write_text(text)
        wrong, out, _ = self.tidy(path)
        if wrong:
            for m in mutants:
                one, _ = wrapped([m])
                path.write_text(one)
                alone, _, _ = self.tidy(path)
                if alone:
                    self.fail(m, alone, one)
            if not any(m.index in self.failed for m in mutants) and not self.clang:
                self.fail(mutants[0], "with the mutants behind it: " + wrong, text)
        path.unlink()
        bad = set()
        # An error in a system header is told at what was instantiated or not at all.
        for line in re.findall(rf"{re.escape(str(path))}:(\d+):\d+: error: ", out):
            bad.add(next((n for n, end in enumerate(ends) if int(line) <= end), len(ends) - 1))
        if "error: " in out and not bad or wrong:
            return []
        return [m for n, m in enumerate(mutants) if n not in bad]

    def alone(self, mutants):
        files = [(f"m{m.index}.cpp", PRELUDE + m.text) for m in mutants]
        wrong, told = self.check(files)
        crashed = {pathlib.Path(s["file"]).name for s in told["files"]["skipped"]
                   if "crashed" in s["reason"]} if told else None
        for m, file in zip(mutants, files):
            if crashed is None or file[0] in crashed:
                alone, one = self.check([file])
                if alone or any("crashed" in s["reason"] for s in one["files"]["skipped"]):
                    self.fail(m, alone or "crash", file[1])
                elif crashed:
                    self.fail(m, "crash beside other files", file[1])
        if told is None:
            if not any(m.index in self.failed for m in mutants) and not self.clang:
                self.fail(mutants[0], "with the mutants behind it: " + wrong, files[0][1])
            return []
        skipped = {pathlib.Path(s["file"]).name for s in told["files"]["skipped"]}
        return [m for m, (name, _) in zip(mutants, files) if name not in skipped]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int)
    args = parser.parse_args()
    kept = args.build / "test-logs/mutated"
    if args.only is None:
        shutil.rmtree(kept, ignore_errors=True)
    kept.mkdir(parents=True, exist_ok=True)

    sources = [Source(p) for folder in ("test/checks", "test/cases", "docs/examples")
               for p in sorted((ROOT / folder).rglob("*.cpp"))]
    with tempfile.TemporaryDirectory(prefix="torchtidy-mutated-") as folder:
        tests = Tests(args.build, pathlib.Path(folder).resolve(), kept)
        pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2)

        def parts(things, size):
            return [things[i:i + size] for i in range(0, len(things), size)]

        for source in sources:
            source.compiles = False
        for good in pool.map(tests.together, parts([Unchanged(s, -1 - n) for n, s in enumerate(sources)], TOGETHER)):
            for m in good:
                m.source.compiles = True

        def make(index):
            # Those with lost braces come last in their files.
            last = index % ALONE and (index - index // ALONE) % TOGETHER == 0
            return Mutant(sources, args.seed, index, last)

        if args.only is not None:
            m = make(args.only)
            (kept / f"{m.index}.cpp").write_text(
                wrapped([m])[0] if m.index % ALONE else PRELUDE + m.text)
            print(f"{m.source.path}: {', '.join(m.done)}")
            compiled, total = len((tests.together if m.index % ALONE else tests.alone)([m])), 1
        else:
            numbers = range(args.count)
            many = parts([n for n in numbers if n % ALONE], TOGETHER)
            work = [pool.submit(lambda ns=ns: tests.alone([make(n) for n in ns]))
                    for ns in parts([n for n in numbers if n % ALONE == 0], LINKED)]
            work += [pool.submit(lambda ns=ns: tests.together([make(n) for n in ns])) for ns in many]
            compiled, total = sum(len(w.result()) for w in work), args.count
        pool.shutdown()
    print(f"{sum(s.compiles for s in sources)} of {len(sources)} programs compile with the mock headers; "
          f"{total} mutants, seed {args.seed}: {compiled} compile ({compiled / total:.0%})")
    if tests.clang:
        print(f"{tests.clang} mutants crash {CLANG} itself")
    for _, text in sorted(tests.failed.items()):
        print(text)
    print(f"{total - len(tests.failed)} passed, {len(tests.failed)} failed")
    return 1 if tests.failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""LibTorch's own headers as if the user had written them.

    headers_as_user_code.py BUILD --torch NAME=INCLUDE[:INCLUDE...] [--std c++20] [--every N]

They are copied to folders of other names, as the checks know LibTorch's by their paths,
and included by few files, hundreds in each. All checks must get through them. Each file
also has a header with a mistake, which must be reported; else the headers were skipped.
What is reported in the others is listed, and no failure: LibTorch's functions are the
user's here, which no real program has. With --every only each Nth header.
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

PROFILES = "default,strict,perf"
FOLDERS = ("torch", "ATen", "c10", "caffe2")
SUFFIXES = (".h", ".hpp")
CLANG = "clang++-19"
GROUP = 300       # headers of a file
GROUP_OPS = 3000  # those of ATen/ops are small
ROUNDS = 40
SECONDS = 600     # of CPU time, for a file
INCLUDE = re.compile(r'^([ \t]*#[ \t]*include[ \t]*[<"])([^>"\n]+)', re.MULTILINE)
TROUBLE = re.compile(r"^.*(?:ERROR: \w+Sanitizer|runtime error:|Assertion `|LLVM ERROR|UNREACHABLE).*$", re.MULTILINE)

SEED = """#pragma once
#include <c10_/core/GradMode.h>
inline void seeded_guard() {
  c10::NoGradGuard();
}
"""
SEED_LINE = 4


def renamed(path):
    return "/".join(part + "_" if part in FOLDERS else part for part in path.split("/"))


def original(path):
    return "/".join(part[:-1] if part.endswith("_") and part[:-1] in FOLDERS else part for part in path.split("/"))


def copy(include, user):
    """The headers that were copied, by their new names."""
    headers = []
    for folder in FOLDERS:
        for path in sorted((include / folder).rglob("*")):
            if not path.is_file() or path.suffix not in (*SUFFIXES, ".inc", ".inl", ".def", ".cuh", ".ipp"):
                continue
            name = renamed(str(path.relative_to(include)))
            text = path.read_text(errors="replace")
            text = INCLUDE.sub(lambda m: m[1] + renamed(m[2]), text)
            (user / name).parent.mkdir(parents=True, exist_ok=True)
            (user / name).write_text(text)
            if path.suffix in SUFFIXES:
                headers.append(name)
    (user / "seeded.h").write_text(SEED)
    return headers


class Includes:
    """What headers include that is nowhere."""

    def __init__(self, user, folders):
        self.user, self.folders, self.known = user, folders, {}
        self.direct, self.absent = {}, {}

    def find(self, name, includer):
        for folder in ([includer.parent] if includer else []) + self.folders:
            if (folder / name).is_file():
                return folder / name
        return None

    def names(self, path):
        """(files, names that are nowhere), also below #if."""
        if path not in self.direct:
            found = {m[2]: self.find(m[2], path) for m in INCLUDE.finditer(path.read_text(errors="replace"))}
            self.direct[path] = ({f.resolve() for f in found.values() if f and self.user in f.resolve().parents},
                                 {n for n, f in found.items() if not f})
        return self.direct[path]

    def may_lack(self, path):
        """Names that are nowhere, in what it includes and so on."""
        if path not in self.absent:
            seen, queue, absent = {path}, [path], set()
            while queue:
                files, names = self.names(queue.pop())
                absent |= names
                queue += files - seen
                seen |= files
            self.absent[path] = absent
        return self.absent[path]

    def lacks(self, path):
        """The one that it needs, outside of all #if, or nothing."""
        if path in self.known:
            return self.known[path]
        self.known[path] = ""  # a circle
        if self.user not in path.parents:
            return ""
        depth = 0
        for line in path.read_text().splitlines():
            line = line.strip()
            if re.match(r"#\s*if", line):
                depth += 0 if re.match(r"#\s*ifndef \w+_H_?\w*$", line) else 1
            elif re.match(r"#\s*endif", line):
                depth = max(0, depth - 1)
            elif m := INCLUDE.match(line):
                found = self.find(m[2], path)
                if not depth and (not found or self.lacks(found)):
                    self.known[path] = m[2] if not found else self.lacks(found)
                    break
        return self.known[path]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(command, cwd):
    """(what was wrong or "", stdout, stderr)"""
    try:
        done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=10 * SECONDS, preexec_fn=limit)
    except subprocess.TimeoutExpired:
        return "hangs", "", ""
    if trouble := TROUBLE.search(done.stderr):
        return trouble[0].strip(), done.stdout, done.stderr
    if done.returncode in (-24, -9):
        return f"more than {SECONDS} s", done.stdout, done.stderr
    return f"signal {-done.returncode}" if done.returncode < 0 else "", done.stdout, done.stderr


class Tests:
    def __init__(self, build, work, flags, includes):
        self.build, self.work, self.flags, self.includes = build, work, flags, includes
        self.analysed, self.left_out, self.crashes = [], {}, []
        self.findings, self.unseen, self.numbers = {}, [], itertools.count()

    def file(self, headers):
        path = self.work / f"f{next(self.numbers)}.cpp"
        path.write_text("".join(f"#include <{name}>\n" for name in [*headers, "seeded.h"]))
        return path

    def compiling(self, headers):
        """Those that compile together, and the others."""
        others = []
        for _ in range(ROUNDS):
            _, _, err = run([CLANG, "-fsyntax-only", *self.flags, self.file(headers)], self.work)
            bad = set()
            top = 0
            for line in err.splitlines():
                if m := re.match(r"In file included from /.*/f\d+\.cpp:(\d+):", line):
                    top = int(m[1])
                elif re.search(r": (?:fatal )?error: ", line):
                    bad.add(top - 1)
                    if m := re.match(r"/.*/f\d+\.cpp:(\d+):\d+: ", line):
                        bad.add(int(m[1]) - 1)
            # The first that is missing ends the compiler's run: so do others that name it.
            for absent in re.findall(r"fatal error: '(.*)' file not found", err):
                bad |= {n for n, h in enumerate(headers)
                        if absent in self.includes.may_lack(self.work / "user" / h)}
            bad = {n for n in bad if 0 <= n < len(headers)}
            if not bad:
                return (headers, others) if "error: " not in err else ([], others + headers)
            others += [h for n, h in enumerate(headers) if n in bad]
            headers = [h for n, h in enumerate(headers) if n not in bad]
        return [], others + headers

    def analyse(self, headers):
        """What is wrong with the run; what it says is kept."""
        path = self.file(headers)
        wrong, out, _ = run(
            [self.build / "bin/torchtidy-clang-tidy", "--quiet", "--checks=-*,torch-*", "--header-filter=.*",
             f"--config={{CheckOptions: {{TorchProfiles: '{PROFILES}'}}}}", path, "--", *self.flags], self.work)
        if wrong:
            return wrong
        if m := re.search(r"^.*: error: .*$", out, re.MULTILINE):
            return "does not compile: " + m[0]
        said = re.findall(r"^(/.*?):(\d+):(\d+): (?:warning|remark): (.*) \[(torch-[\w-]+)\]$", out, re.MULTILINE)
        seen = False
        for file, line, column, text, check in said:
            name = os.path.relpath(os.path.normpath(file), self.work / "user")
            if name == "seeded.h":
                seen |= int(line) == SEED_LINE and check == "torch-unnamed-guard"
            else:
                self.findings[original(name), int(line), int(column), check] = text
        if not seen:
            self.unseen.append(path.read_text())
        return ""

    def group(self, headers):
        good, others = self.compiling(headers)
        if good:
            self.judge(good)
        for header in others:
            wrong = self.analyse([header])
            if wrong.startswith("does not compile"):
                self.left_out[header] = wrong
            elif wrong:
                self.crashes.append((header, wrong))
            else:
                self.analysed.append(header)

    def judge(self, headers):
        """Halves those that fail until one is left."""
        wrong = self.analyse(headers)
        if not wrong:
            self.analysed += headers
        elif wrong.startswith("does not compile"):
            self.left_out.update({h: wrong for h in headers})
        elif len(headers) == 1:
            self.crashes.append((headers[0], wrong))
        else:
            before = len(self.crashes)
            self.judge(headers[:len(headers) // 2])
            self.judge(headers[len(headers) // 2:])
            if len(self.crashes) == before:
                self.crashes.append((f"{headers[0]} and {len(headers) - 1} others together", wrong))


def system_folders(flags):
    done = subprocess.run([CLANG, *flags, "-E", "-v", "-x", "c++", "/dev/null"], capture_output=True, text=True)
    return [pathlib.Path(line.strip()) for line in done.stderr.partition("search starts here:\n#include <...>")[2]
            .partition("End of search")[0].splitlines() if line.startswith(" /")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--torch", required=True)
    parser.add_argument("--std", default="c++17")
    parser.add_argument("--every", type=int, default=1)
    args = parser.parse_args()
    name, includes = args.torch.split("=", 1)
    includes = [pathlib.Path(folder).resolve() for folder in includes.split(":")]
    # The first holds all folders; others may stand below it.
    root = next(f for f in includes if (f / "ATen").is_dir())

    with tempfile.TemporaryDirectory(prefix="torchtidy-headers-") as folder:
        work = pathlib.Path(folder).resolve()
        user = work / "user"
        headers = copy(root, user)[::args.every]
        own = [user] + [user / renamed(str(f.relative_to(root))) for f in includes if f != root and root in f.parents]
        flags = [f"-std={args.std}", "-ferror-limit=0", "-w", *(f"-I{f}" for f in own)]
        if root != pathlib.Path("/usr/include"):  # other libraries that come with it
            flags += ["-isystem", str(root)]
        lacking = Includes(user, own + system_folders(flags))
        tests = Tests(args.build, work, flags, lacking)
        groups = {}
        for header in headers:
            if lacks := lacking.lacks(user / header):
                tests.left_out[header] = f"lacks {lacks}"
            else:
                groups.setdefault(header.startswith("ATen_/ops/"), []).append(header)
        parts = [g[i:i + size] for ops, g in groups.items() for size in [GROUP_OPS if ops else GROUP]
                 for i in range(0, len(g), size)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
            list(pool.map(tests.group, parts))

    for file, line, column, check in sorted(tests.findings):
        print(f"{file}:{line}:{column}: {tests.findings[file, line, column, check]} [{check}]")
    for header, why in tests.crashes:
        print(f"{original(header)}: {why}")
    for text in tests.unseen:
        print("the mistake was not reported behind:\n" + original(text[:300]))
    missing = sum(why.startswith("lacks") for why in tests.left_out.values())
    print(f"LibTorch {name}: {len(tests.analysed)} of {len(headers)} headers as user code; {len(tests.left_out)} do not "
          f"compile alone, {missing} of them for what they include; {len(tests.findings)} findings")
    failed = len(tests.crashes) + len(tests.unseen) + (not tests.analysed)
    print(f"{len(tests.analysed)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

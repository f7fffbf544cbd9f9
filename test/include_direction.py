"""Includes go one way (docs: CONTRIBUTING.md, "Rooms").

Every file of a room may include its own room and those below it; a room without
LLVM includes none of LLVM, and the recorder no JSON and no LibTorch. The rules
are first tried on files that break each of them: a rule that cannot fail is a
failure itself.
"""

import pathlib
import re
import sys
import tempfile

# Room -> the rooms that it may include. Those of tools/ and test/ may use all.
BELOW = {
    "lib/Finding": [],
    "lib/Trace": [],
    "lib/Memory": ["lib/Trace"],
    "lib/Report": ["lib/Finding"],
    "lib/Confirm": ["lib/Finding", "lib/Trace"],
    "lib/Semantics": [],
    "lib/Flow": ["lib/Semantics"],
    "checks": ["lib/Finding", "lib/Semantics", "lib/Flow"],
    "lib/Driver": ["lib/Finding", "lib/Report", "lib/Semantics", "lib/Flow", "checks"],
    "runtime": ["lib/Trace"],
}
LLVM = re.compile(r"^(llvm|clang|clang-tidy|clang-c)/")
FORBIDDEN = {
    # Only tools/ prints.
    "lib": [re.compile(r"^iostream$")],
    "checks": [re.compile(r"^iostream$")],
    "lib/Finding": [LLVM],
    "lib/Trace": [LLVM, re.compile(r"^nlohmann/")],
    "lib/Memory": [LLVM, re.compile(r"^(torch|ATen|c10)/")],
    "lib/Confirm": [LLVM],
    "lib/Report": [LLVM],
    "runtime": [LLVM, re.compile(r"^nlohmann/"), re.compile(r"^CLI/")],
    # Header-free, so that one library fits every LibTorch.
    "runtime/Record": [re.compile(r"^(torch|ATen|c10)/")],
    "runtime/Vmm": [re.compile(r"^(torch|ATen|c10)/"), re.compile(r"^cuda")],
    "tools/torchtidy": [LLVM],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
SOURCES = {".h", ".cpp", ".inc"}


def room_of(path, rooms):
    """The most specific room that holds the path."""
    hits = [room for room in rooms if path == room or path.startswith(room + "/")]
    return max(hits, key=len) if hits else None


def target_of(name, source, root):
    """The path below the root of a file of ours that is included, or None."""
    for base in (source.parent, root, root / "lib", root / "runtime",
                 root / "runtime/include"):
        candidate = (base / name).resolve()
        if candidate.is_file() and root in candidate.parents:
            return candidate.relative_to(root).as_posix()
    return None


def violations(root):
    """Yields (file, None or what is wrong with it)."""
    for top in ("lib", "checks", "runtime", "tools"):
        for source in sorted((root / top).rglob("*")):
            if source.suffix not in SOURCES:
                continue
            path = source.relative_to(root).as_posix()
            room = room_of(path, BELOW)
            bans = [b for r in FORBIDDEN if room_of(path, [r]) for b in FORBIDDEN[r]]
            wrong = None
            for name in INCLUDE.findall(source.read_text(errors="replace")):
                target = target_of(name, source, root)
                if target is None:
                    if any(ban.search(name) for ban in bans):
                        wrong = f"includes <{name}>"
                    continue
                into = room_of(target, BELOW)
                if target.startswith(("tools/", "test/")) and room:
                    wrong = f"includes {target}"
                elif room and into and into != room and into not in BELOW[room]:
                    wrong = f"includes {target}, a room that is not below"
            yield path, wrong


def tree(files):
    folder = tempfile.TemporaryDirectory()
    root = pathlib.Path(folder.name).resolve()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return folder, root


def self_test():
    """Yields (name, whether the rule caught what it must)."""
    headers = {room + "/A.h": "" for room in BELOW}
    include = {room: room.removeprefix("lib/") + "/A.h" for room in BELOW}
    for room in BELOW:
        for other in BELOW:
            if other == room:
                continue
            allowed = other in BELOW[room]
            files = headers | {room + "/B.cpp": f'#include "{include[other]}"\n'}
            folder, root = tree(files)
            with folder:
                found = dict(violations(root))[room + "/B.cpp"] is not None
            yield f"{room} -> {other}", found != allowed
    for path, line in [
            ("lib/Report/B.cpp", '#include "llvm/ADT/StringRef.h"'),
            ("lib/Confirm/B.cpp", "#include <clang/AST/Decl.h>"),
            ("lib/Flow/B.cpp", "#include <iostream>"),
            ("runtime/Record/B.cpp", "#include <nlohmann/json.hpp>"),
            ("runtime/Record/B.cpp", "#include <torch/torch.h>"),
            ("tools/torchtidy/B.cpp", '#include "clang-tidy/ClangTidy.h"'),
            ("lib/Trace/B.cpp", "  #  include <nlohmann/json.hpp>")]:
        folder, root = tree(headers | {path: line + "\n"})
        with folder:
            yield f"{path}: {line}", dict(violations(root))[path] is not None


def main():
    passed = failed = 0
    for name, good in self_test():
        if good:
            passed += 1
        else:
            failed += 1
            print(f"include direction: the rule does not hold: {name}")
    root = pathlib.Path(__file__).resolve().parent.parent
    for path, wrong in violations(root):
        if wrong:
            failed += 1
            print(f"{path}: {wrong}")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

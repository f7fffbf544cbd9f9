"""Runs the test suites one after the other; tools/test calls it.

    suites.py BUILD quick|full|long

A suite is a command whose last line is `N passed, N failed[, N skipped]`, or a
GoogleTest binary, or lit. The output of each stands in BUILD/test-logs; what
failed is shown. A suite that cannot be run counts as failed.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNTS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$")
JOBS = os.cpu_count() or 2
OTHER_LLVMS = (21, 22, 23)
DEBIAN_TORCH = "Debian=/usr/include/torch/csrc/api/include"


class Suite:
    def __init__(self, name, command, kind="counts", minutes=10, env=None):
        self.name, self.command, self.kind = name, [str(c) for c in command], kind
        self.minutes, self.env = minutes, env or {}


def counts_of(suite, status, log, extra):
    """(passed, failed, skipped), or None where the output names no counts."""
    if suite.kind == "gtest":
        try:
            told = json.loads(extra.read_text())
        except (OSError, ValueError):
            return None
        bad = told["failures"] + told.get("errors", 0)
        skipped = sum(case.get("result") == "SKIPPED" for group in told["testsuites"] for case in group["testsuite"])
        return told["tests"] - bad - skipped, bad, skipped
    if suite.kind == "lit":
        try:
            codes = [test["code"] for test in json.loads(extra.read_text())["tests"]]
        except (OSError, ValueError):
            return None
        good, skipped = codes.count("PASS"), codes.count("UNSUPPORTED")
        return good, len(codes) - good - skipped, skipped
    for line in reversed(log.splitlines()):
        if told := COUNTS.match(line.strip()):
            return tuple(int(n or 0) for n in told.groups())
    return None


def run(suite, logs):
    """Runs a suite; prints its line and, if it failed, the end of its log."""
    name = re.sub(r"\W+", "-", suite.name)
    log_path, extra = logs / (name + ".log"), logs / (name + ".json")
    extra.unlink(missing_ok=True)
    command = list(suite.command)
    if suite.kind == "gtest":
        command.append(f"--gtest_output=json:{extra}")
    elif suite.kind == "lit":
        command += ["-o", str(extra)]
    begin = time.monotonic()
    with open(log_path, "w") as log:
        try:
            status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                    timeout=suite.minutes * 60, cwd=ROOT, env={**os.environ, **suite.env}).returncode
        except subprocess.TimeoutExpired:
            status = f"more than {suite.minutes} minutes"
        except OSError as error:
            status = str(error)
    seconds = time.monotonic() - begin
    text = log_path.read_text(errors="replace")
    counts = counts_of(suite, status, text, extra)
    reason = ""
    if counts is None or sum(counts) == 0:
        counts, reason = (0, 1, 0), f"did not run ({status})"
    elif status != 0 and counts[1] == 0:
        counts, reason = (counts[0], 1, counts[2]), f"ended with {status}"
    passed, failed, skipped = counts
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{suite.name:<42} {seconds:7.1f} s   {passed} passed, {failed} failed{tail}  {reason}".rstrip(), flush=True)
    for line in text.splitlines():
        if line.startswith("SKIPPED: "):
            print("    " + line, flush=True)
    if failed:
        print("    " + "\n    ".join(text.splitlines()[-40:]), flush=True)
        print(f"    (all of it: {log_path})", flush=True)
    return counts


def units(folder, prefix="", without=()):
    """One suite per source: a binary that was not built must be missed."""
    names = sorted(p.stem for p in (ROOT / "test/unit").glob("*Test.cpp"))
    return [Suite(prefix + name, [folder / name], "gtest") for name in names if not name.startswith(without)]


def lit(build):
    cache = (build / "CMakeCache.txt").read_text()
    script = re.search(r"^TORCHTIDY_LIT:\w+=(.*)$", cache, re.MULTILINE)
    command = [sys.executable, script[1] if script else "no-lit", "-q", f"-j{JOBS}", build / "test/checks"]
    return Suite("checks on mock headers (lit)", command, "lit")


def drivers(build, env=None, suffix=""):
    """The end-to-end drivers: every executable of test/e2e, and test/runtime/run."""
    paths = [ROOT / "test/runtime/run", ROOT / "test/e2e/check_run", ROOT / "test/e2e/confirm_run"]
    paths += sorted(p for p in (ROOT / "test/e2e").iterdir()
                    if p.is_file() and os.access(p, os.X_OK) and p not in paths)
    return [Suite(f"{p.parent.name}/{p.name}{suffix}", [p, build], minutes=20,
                  env={"TORCHTIDY_BUILD": str(build), **(env or {})}) for p in paths]


def other_llvms(build):
    """The checks on mock headers, with every other LLVM that Debian has."""
    return [Suite(f"LLVM {n}, in a Debian root of its own", [ROOT / "test/clean_root", n, build / f"clean-root/{n}"],
                  minutes=180) for n in OTHER_LLVMS]


def torch_wheel(version="2.11.0"):
    """The unpacked wheel, or None where it cannot be had."""
    done = subprocess.run([ROOT / "tools/torch-wheel", version], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    return pathlib.Path(done.stdout.strip()) if done.returncode == 0 else None


def wheel_option(name, wheel):
    return f"{name}={wheel}/include:{wheel}/include/torch/csrc/api/include"


def other_versions(build):
    """(suites, skipped): the checks on the oldest and the newest LibTorch that are known to work."""
    suites, skipped = [], 0
    for name, version, std in (("2.6", "2.6.0", "c++17"), ("2.15", "2.15.0", "c++20")):
        wheel = torch_wheel(version)
        if wheel is None:
            print(f"SKIPPED: checks on torch {name}, the wheel cannot be had", flush=True)
            skipped += 1
            continue
        suites.append(Suite(f"checks on real headers, torch {name}", [
            sys.executable, ROOT / "test/real_headers.py", build, "--torch", wheel_option(name, wheel),
            "--std", std, "--plugin", 3], minutes=30))
    return suites, skipped


def plan(build, label):
    python = sys.executable
    suites = [
        Suite("include direction", [python, ROOT / "test/include_direction.py"]),
        Suite("registry, pages, products agree", [python, ROOT / "test/consistency.py", build]),
        Suite("samples on the pages of the checks", [python, ROOT / "test/page_samples.py", build]),
        *units(build / "test/unit"),
        lit(build),
    ]
    if label == "quick":
        return suites, 0
    suites += [
        Suite("checks on real headers, Debian's LibTorch",
              [python, ROOT / "test/real_headers.py", build, "--torch", DEBIAN_TORCH, "--plugin", 10]),
        Suite("samples on the pages, Debian's LibTorch",
              [python, ROOT / "test/page_samples.py", build, "--torch", DEBIAN_TORCH]),
        Suite("fixes, Debian's LibTorch", [python, ROOT / "test/fixes.py", build, "--torch", DEBIAN_TORCH]),
        Suite("foreign tools", [python, ROOT / "test/foreign_tools.py", build]),
        *drivers(build),
    ]
    skipped = 0
    wheel = torch_wheel()
    if wheel is None:
        print("SKIPPED: everything on torch 2.11, the wheel cannot be had", flush=True)
        skipped = 1
    else:
        include = wheel_option("2.11", wheel)
        suites.append(Suite("LibTorch's allocator on the fake driver", [
            ROOT / "test/fakecuda/torch_smoke", build / "test/fakecuda"], env={"TORCHTIDY_TORCH211": str(wheel)}))
        suites.append(Suite("checks on real headers, torch 2.11", [
            python, ROOT / "test/real_headers.py", build, "--torch", include,
            "--plugin", 10 if label == "long" else 0]))
        if label == "long":
            suites += [
                Suite("samples on the pages, torch 2.11",
                      [python, ROOT / "test/page_samples.py", build, "--torch", include], minutes=30),
                Suite("fixes, torch 2.11", [python, ROOT / "test/fixes.py", build, "--torch", include], minutes=60),
                Suite("headers as user code, torch 2.11",
                      [python, ROOT / "test/headers_as_user_code.py", build, "--torch", include], minutes=120),
                *drivers(build, {"TORCHTIDY_TORCH211": str(wheel)}, ", torch 2.11"),
            ]
    if label == "long":
        others, missing = other_versions(build)
        suites, skipped = suites + others, skipped + missing
        suites.append(Suite("headers as user code, Debian's LibTorch", [
            python, ROOT / "test/headers_as_user_code.py", build,
            "--torch", "Debian=/usr/include:/usr/include/torch/csrc/api/include"], minutes=120))
        suites.append(Suite("mutated programs", [python, ROOT / "test/mutated.py", build], minutes=60))
        suites.append(Suite("fast parsing against plain", [python, ROOT / "test/fast_against_plain.py", build],
                            minutes=120))
        asan = build.parent / "build-asan"
        suites += units(asan / "test/unit", "sanitizers: ", ("Semantics", "Flow", "Checks", "Driver"))
        suites.append(Suite("ThreadSanitizer: VmmHostTest", [build.parent / "build-tsan/test/unit/VmmHostTest"], "gtest"))
        suites += other_llvms(build)
        suites.append(Suite("bench", [ROOT / "tools/bench", "--test", f"--build={build}"], minutes=60,
                            env={"TORCHTIDY_TORCH211": str(wheel)} if wheel else {}))
    return suites, skipped


def main():
    # A shell's background jobs ignore Ctrl-C; the tests of Ctrl-C must not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    build, label = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    logs = build / "test-logs"
    logs.mkdir(exist_ok=True)
    suites, skipped = plan(build, label)
    total = [0, 0, skipped]
    for suite in suites:
        for i, n in enumerate(run(suite, logs)):
            total[i] += n
    print(f"{total[0]} passed, {total[1]} failed" + (f", {total[2]} skipped" if total[2] else ""))
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())

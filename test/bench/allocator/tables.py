# Part of the torchtidy project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the replays gave, by trace, column and limit, and tables of it."""

import statistics
import sys

# Calls that get or give memory; others (cudaGetDevice, event queries) are the
# driver time's matter.
MEMORY_CALLS = {"cudaMalloc", "cudaFree", "cuMemAlloc", "cuMemFree", "cuMemCreate", "cuMemRelease", "cuMemMap",
                "cuMemUnmap", "cuMemSetAccess", "cuMemAddressReserve", "cuMemAddressFree"}


def ratio(run):
    return run["device_peak"] / run["ideal"]


def memory_calls(run):
    return sum(n for name, n in run["calls"].items() if name in MEMORY_CALLS)


def cost(run):
    """Latencies of the driver's calls and waits for the device, in ms."""
    return (run["driver_ns"] + run["stall_ns"]) / 1e6


class Results:
    """Runs by (kind, trace, column, seed); None where a program crashed."""

    def __init__(self, runs, seeds):
        self.runs, self.seeds = runs, seeds

    def of(self, kind, trace, column):
        found = (self.runs.get((kind, trace, column, seed)) for seed in self.seeds)
        return [run for run in found if run]

    def each(self, kind, trace, column, what):
        return [what(run) if run else float("inf")
                for run in (self.runs.get((kind, trace, column, seed)) for seed in self.seeds)]

    def median(self, kind, trace, column, what):
        return statistics.median(self.each(kind, trace, column, what))

    def sum(self, kind, trace, column, field):
        return sum(self.each(kind, trace, column, lambda run: run[field]))

    def wrong(self):
        """Runs that crashed, touched what was not theirs, or raced."""
        return {key: run["first_fault"] if run else "crashed" for key, run in self.runs.items()
                if not run or run["faults"] or run["races"]}


def say(*words):
    print(*words, file=sys.stderr, flush=True)


def show(title, head, rows):
    """A table whose first two columns are text."""
    if not rows:
        return
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    width = [max(len(row[i]) for row in rows) for i in range(len(head))]
    say(f"\n{title}")
    for row in rows:
        say("  ".join(cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, width))))


def show_limit(results, kind, title, traces, columns):
    rows = []
    for trace in traces:
        for column in columns:
            runs = results.of(kind, trace, column)
            if not runs:
                continue
            peaks = [ratio(run) for run in runs]
            rows.append([trace, column, f"{statistics.median(peaks):.4f}", f"{max(peaks):.4f}",
                         f"{statistics.median(run['running_ratio'] for run in runs):.3f}",
                         sum(run["retries"] for run in runs), sum(run["ooms"] for run in runs),
                         round(statistics.median(map(memory_calls, runs))),
                         round(statistics.median(run["late_calls"] / run["late_iterations"] for run in runs), 1),
                         round(statistics.median(run["driver_ns"] for run in runs) / 1e6),
                         round(statistics.median(run["stall_ns"] for run in runs) / 1e6),
                         round(statistics.median(run["end_ns"] for run in runs) / 1e6)])
    show(title, ["trace", "column", "peak/ideal", "max", "running", "retries", "OOMs", "calls", "late", "driver ms",
                 "stall ms", "clock ms"], rows)

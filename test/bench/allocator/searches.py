# Part of the torchtidy project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Searches by bisection: the largest batch, the least memory."""

import concurrent.futures
import os

DEVICE = 16 << 30


def greatest(fits, low, high):
    """The greatest number below high that fits; low - 1 if none does."""
    if not fits(low):
        return low - 1
    while high - low > 1:
        middle = (low + high) // 2
        if fits(middle):
            low = middle
        else:
            high = middle
    return low


def completes(programs, column, trace, seed, *options):
    run = programs.run(column, trace, seed, "--stop-when-full", *options)
    return bool(run) and not run["dropped"]


def largest_batch(programs, column, trace, seed):
    """That trains on 16 GiB without running out of memory."""
    return greatest(lambda batch: completes(programs, column, trace, seed, f"--batch={batch}", f"--limit={DEVICE}"),
                    4, 200)


def ideal_batch(programs, column, trace, seed):
    """The largest whose live memory fits; no allocator can do more."""
    def fits(batch):
        # The peak stands in the result whatever the run did.
        run = programs.run(column, trace, seed, f"--batch={batch}", "--stop-when-full", "--limit=1")
        return bool(run) and run["ideal"] <= DEVICE
    return greatest(fits, 4, 200)


def least_memory(programs, column, trace, seed):
    """In hundredths of the ideal peak, without running out of memory; 400 if
    more is needed."""
    return 400 - greatest(lambda less: completes(programs, column, trace, seed,
                                                 f"--limit-ratio={(400 - less) / 100}"), 1, 301)


def search_all(programs, jobs):
    """Results of {key: (search, column, trace, seed)}."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        futures = {key: pool.submit(search, programs, *job) for key, (search, *job) in jobs.items()}
        return {key: future.result() for key, future in futures.items()}

# Part of the torchtidy project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs under `torchtidy run` and reads what they leave."""

import json
import os
import subprocess
import tempfile


class Failed(Exception):
    pass


def need(condition, message):
    if not condition:
        raise Failed(message)


def equal(got, wanted, what):
    need(got == wanted, f"{what}: {got}, expected {wanted}")


class Result:
    def __init__(self, status, out, err, logs):
        self.status, self.out, self.err, self.logs = status, out, err, logs

    def only(self):
        need(len(self.logs) == 1, f"{len(self.logs)} logs, expected 1\n{self.err}")
        need(self.logs[0] is not None, "the log cannot be read\n" + self.err)
        return self.logs[0]


class Harness:
    def __init__(self, build):
        self.build = os.path.abspath(build)
        self.torchtidy = os.path.join(self.build, "bin", "torchtidy")
        self.preload = os.path.join(self.build, "lib", "libtorchtidy_preload.so")
        self.work = tempfile.mkdtemp(prefix="torchtidy-test-")
        # One thread: what OpenMP's threads do is not the same twice.
        self.env = dict(os.environ, OMP_NUM_THREADS="1")
        for name in ("LD_PRELOAD", "TORCHTIDY_LOG", "TORCHTIDY_PRELOAD"):
            self.env.pop(name, None)

    def dump(self, path):
        tool = os.path.join(self.build, "test", "runtime", "torchtidy-log-dump")
        r = subprocess.run([tool, path], capture_output=True, text=True)
        return json.loads(r.stdout) if r.returncode == 0 else None

    def logs(self, prefix):
        folder, base = os.path.split(prefix)
        return sorted(os.path.join(folder, n) for n in os.listdir(folder)
                      if n == base or n.startswith(base + "."))

    def record(self, command, env=None, prefix=None, shell_first=""):
        """Under `torchtidy run`; logs are read and removed."""
        prefix = prefix or os.path.join(self.work, "log")
        full = [self.torchtidy, "run", "-o", prefix, "--", *command]
        if shell_first:
            full = ["sh", "-c", shell_first + '; exec "$@"', "sh", *full]
        r = subprocess.run(full, capture_output=True, text=True, errors="replace",
                           env=dict(self.env, **(env or {})))
        found = self.logs(prefix)
        dumped = [self.dump(p) for p in found]
        for p in found:
            os.unlink(p)
        return Result(r.returncode, r.stdout, r.stderr, dumped)

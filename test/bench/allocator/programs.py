# Part of the torchtidy project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the programs of the allocators' benchmark and runs them."""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


class Column:
    """One allocator with its settings."""

    def __init__(self, name, family, subject, settings="", options=()):
        self.name, self.family, self.subject = name, family, subject
        self.settings, self.options = settings, list(options)


# garbage_collection_threshold does nothing without a memory fraction below 1.
COLUMNS = [
    Column("ours", "vmm", "vmm"),
    Column("default", "torch", "torch"),
    Column("split 64", "torch", "torch", "max_split_size_mb:64"),
    Column("gc 0.8", "torch", "torch", "garbage_collection_threshold:0.8", ["--fraction=0.99"]),
    Column("roundup 8", "torch", "torch", "roundup_power2_divisions:8"),
    Column("expandable", "torch", "torch", "expandable_segments:True"),
    Column("best fit", "simple", "best-fit"),
    Column("best fit 64", "simple", "best-fit-64"),
    Column("direct", "simple", "direct"),
]


def cache():
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "torchtidy"


def torch_home():
    """The folder torch of the wheel, or None."""
    home = pathlib.Path(os.environ.get("TORCHTIDY_TORCH211") or cache() / "torch-2.11.0" / "torch")
    return home if (home / "lib" / "libc10_cuda.so").exists() else None


def cuda_home(build):
    """A folder with include/cuda_runtime_api.h, or None. tools/torch-wheel
    keeps NVIDIA's wheel, which has the headers."""
    for home in (os.environ.get("CUDA_HOME"), "/usr/local/cuda", build / "cuda"):
        if home and (pathlib.Path(home) / "include" / "cuda_runtime_api.h").exists():
            return pathlib.Path(home)
    for wheel in (cache() / "wheels").glob("nvidia_cuda_runtime-13*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for entry in archive.namelist():
                _, found, name = entry.partition("/include/")
                if found and name and not name.endswith("/"):
                    target = build / "cuda" / "include" / name
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.read(entry))
        return build / "cuda"
    return None


class Programs:
    def __init__(self, build):
        self.build = pathlib.Path(build) / "bench-allocator"
        self.build.mkdir(parents=True, exist_ok=True)
        torch, cuda = torch_home(), cuda_home(self.build)
        configure = ["cmake", "-S", HERE, "-B", self.build, "-DCMAKE_BUILD_TYPE=Release"]
        if not (self.build / "CMakeCache.txt").exists() and shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        configure += [f"-DTORCH_HOME={torch or ''}", f"-DCUDA_HOME={cuda or ''}"]
        for command in (configure, ["cmake", "--build", self.build]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode:
                sys.exit(f"bench allocator: {' '.join(map(str, command))}\n{done.stdout}")
        self.columns = [c for c in COLUMNS if self.program(c).exists()]
        if not self.columns:
            sys.exit("bench allocator: nothing was built (test/fakecuda is missing)")
        if not torch or not cuda:
            missing = "LibTorch 2.11 (TORCHTIDY_TORCH211, or tools/torch-wheel)" if not torch else "CUDA's headers (CUDA_HOME)"
            print(f"bench allocator: {missing} not found, no columns of PyTorch's allocator", file=sys.stderr)

    def program(self, column):
        return self.build / f"bench-allocator-{column.family}"

    def run(self, column, trace, seed, *options):
        env = dict(os.environ, PYTORCH_CUDA_ALLOC_CONF=column.settings)
        for name in ("PYTORCH_ALLOC_CONF", "PYTORCH_NO_CUDA_MEMORY_CACHING"):
            env.pop(name, None)
        command = [self.program(column), f"--subject={column.subject}", f"--trace={trace}", f"--seed={seed}",
                   *column.options, *options]
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            print(f"bench allocator: {' '.join(map(str, command))} ended with {done.returncode}\n"
                  f"{done.stderr[-2000:]}", file=sys.stderr)
            return None
        return json.loads(done.stdout)

    def run_all(self, jobs):
        """Results by key of {key: (column, trace, seed, options...)}; None where
        a program crashed."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            futures = {key: pool.submit(self.run, *job) for key, job in jobs.items()}
            return {key: future.result() for key, future in futures.items()}

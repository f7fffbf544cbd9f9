# Part of the torchtidy project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the recorder that need no LibTorch."""

import os
import re
import shutil
import subprocess

from harness import Harness, equal, need
from torches import HERE, call


class Standalone(Harness):
    def test_refusals(self, _):
        def run(*args):
            r = subprocess.run([self.torchtidy, "run", *args], capture_output=True,
                               text=True, env=self.env, cwd=self.work)
            return r.returncode, r.stderr

        for args, status, text in (
                (["--", "no-such-program"], 127, "no-such-program: no such program"),
                (["--", "/etc/passwd"], 126, "Permission denied"),
                (["--", "true"], 0, "no LibTorch was loaded by"),
                (["--", "sh", "-c", "exit 42"], 42, "no LibTorch was loaded by"),
                (["--allocator=vmm", "--", "true"], 2, "not available yet"),
                (["--limit=100", "--", "true"], 2, "not available yet"),
                (["-o", "/no/such/x", "--", "true"], 2, "no log can be written"),
                ([], 2, "which program?"),
                (["--nonsense", "--", "true"], 2, "nonsense")):
            got, err = run(*args)
            equal(got, status, f"{args}: status\n{err}")
            need(text in err, f"{args}: {err!r} lacks {text!r}")
        equal([n for n in os.listdir(self.work) if "torchtidy.log" in n], [], "logs")
        r = subprocess.run([self.torchtidy, "run", "--help"], capture_output=True, text=True)
        need(r.returncode == 0 and "PROGRAM" in r.stdout and "-o FILE" in r.stdout, r.stdout)
        env = dict(self.env, TORCHTIDY_PRELOAD="/no/such/lib.so")
        r = subprocess.run([self.torchtidy, "run", "--", "true"], env=env,
                           capture_output=True, text=True)
        need(r.returncode == 2 and "/no/such/lib.so" in r.stderr, r.stderr)

        # No compiler is needed for a static program: a few bytes will do.
        static = os.path.join(self.work, "static")
        source = os.path.join(self.work, "static.c")
        with open(source, "w") as f:
            f.write('const char *M = "N5torch8autograd14AccumulateGradE";\n'
                    "int main(void) { return M[0] == 'N' ? 6 : 0; }\n")
        cc = os.environ.get("CC", "clang-19")
        call([cc, "-static", source, "-o", static])
        got, err = run("--", static)
        need(got == 6 and "is statically linked" in err, err)
        call([cc, source, "-o", static])
        got, err = run("--", static)
        need(got == 6 and "is linked into" in err, err)
        other = bytearray(open(static, "rb").read())
        other[18:20] = b"\xb7\x00"  # aarch64
        with open(static, "wb") as f:
            f.write(other)
        got, err = run("--", static)
        need(got == 126 and "not an x86-64 program" in err, err)

    def test_path_with_blank(self, _):
        folder = os.path.join(self.work, "a folder:odd")
        os.makedirs(folder)
        library = shutil.copy(self.preload, folder)
        r = subprocess.run([self.torchtidy, "run", "--", "sh", "-c",
                            "cat /proc/self/maps"], capture_output=True, text=True,
                           env=dict(self.env, TORCHTIDY_PRELOAD=library))
        need(r.returncode == 0 and "a folder:odd" in r.stdout, r.stderr)

    def test_old_torch(self, _):
        cxx = os.environ.get("CXX", "clang++-19")
        sources = os.path.join(HERE, "programs")
        library = os.path.join(self.work, "libtorch_cpu.so")
        program = os.path.join(self.work, "allocate")
        call([cxx, "-shared", "-fPIC", f"{sources}/OldTorch.cpp", "-o", library])
        call([cxx, f"{sources}/Allocate.cpp", "-o", program, library,
              "-Wl,-rpath," + self.work])
        r = self.record([program])
        equal((r.status, len(r.logs)), (4, 0), "status, logs")
        equal(r.err.count("LibTorch 1.9.0 is not supported"), 1, r.err)

    def test_dependencies(self, _):
        for name in ("libtorchtidy_preload.so", "libtorchtidy.so"):
            path = os.path.join(self.build, "lib", name)
            out = subprocess.run(["readelf", "-d", path], capture_output=True,
                                 text=True, check=True).stdout
            needed = re.findall(r"NEEDED.*\[(.*)\]", out)
            equal([n for n in needed if not n.startswith(("libc.so", "ld-linux",
                                                          "libdl", "libpthread"))],
                  [], name + " needs")

    WITHOUT_TORCH = ("refusals", "path_with_blank", "old_torch", "dependencies")

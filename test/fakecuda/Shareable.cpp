//===- Shareable.cpp - Handles as file descriptors ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shareable.h"
#include <sys/mman.h>
#include <unistd.h>

using namespace fakecuda;

namespace {
struct Record {
  uint64_t Magic, Process, Handle;
};
constexpr uint64_t Magic = 0x6b61666475636564;
} // namespace

int fakecuda::exportHandle(uint64_t Handle) {
  int Descriptor = memfd_create("fakecuda", MFD_CLOEXEC);
  if (Descriptor < 0)
    return -1;
  Record R = {Magic, uint64_t(getpid()), Handle};
  if (pwrite(Descriptor, &R, sizeof(R), 0) == ssize_t(sizeof(R)))
    return Descriptor;
  close(Descriptor);
  return -1;
}

Outcome fakecuda::importHandle(int Descriptor, uint64_t &Handle) {
  Record R = {};
  if (pread(Descriptor, &R, sizeof(R), 0) != ssize_t(sizeof(R)) ||
      R.Magic != Magic)
    return invalid("not a descriptor of an exported handle");
  if (R.Process != uint64_t(getpid()))
    return {abi::NotSupported, "exported by another process"};
  Handle = R.Handle;
  return {};
}

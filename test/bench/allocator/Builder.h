//===- Builder.h - Traces made operation by operation -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What generators write traces with: blocks, and kernels whose duration
/// follows from what they read, write and compute on an A100 (1555 GB/s; of 312
/// Tflop/s in half precision and 156 in TF32 about half is reached).
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_BUILDER_H
#define TORCHTIDY_BENCH_ALLOCATOR_BUILDER_H

#include "Trace.h"
#include <initializer_list>

namespace torchtidy::bench {

class Builder {
public:
  using Ids = std::initializer_list<uint32_t>;

  uint32_t allocate(uint64_t Bytes, unsigned Stream = 0);
  void free(uint32_t Id);
  template <typename Container> void freeAll(const Container &Blocks) {
    for (uint32_t Id : Blocks)
      free(Id);
  }
  void record(uint32_t Id, unsigned Stream);
  /// A kernel, and what the host needs to launch it.
  void run(Ids Reads, Ids Writes, double Flops = 0, unsigned Stream = 0);
  /// A new block that a kernel writes.
  uint32_t make(uint64_t Bytes, Ids Reads, double Flops = 0,
                unsigned Stream = 0);
  void wait(unsigned Stream, unsigned ForStream);
  void sync(unsigned Stream);
  void mark();
  void emptyCache();
  void host(uint64_t Ns);

  size_t ops() const { return T.Ops.size(); }
  Trace take();

private:
  Trace T;
  std::vector<uint64_t> Bytes;
};

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_BUILDER_H

//===- Trace.h - What a program asks of an allocator ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A trace is a list of operations in the order in which the host issues them.
/// Blocks have numbers from 0 in order of allocation; each number is allocated
/// once. What is allocated before the first mark stays as long as the program.
///
/// The ideal peak is the most that is live at once, each block rounded up to
/// 512 bytes as PyTorch does: no allocator that rounds so can need less.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_TRACE_H
#define TORCHTIDY_BENCH_ALLOCATOR_TRACE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace torchtidy::bench {

constexpr uint64_t KiB = 1024, MiB = 1024 * KiB, GiB = 1024 * MiB;

inline uint64_t roundedBlock(uint64_t Bytes) {
  return (Bytes + 511) / 512 * 512;
}

enum class OpKind : uint8_t {
  Allocate, ///< block Id of Value bytes, for Stream
  Free,     ///< block Id
  Record,   ///< block Id is used by Stream as well (record_stream)
  Launch,   ///< kernel of Value ns on Stream; uses [First, First + Count)
  Wait,     ///< Stream waits for what is on stream Id now (by an event)
  Sync,     ///< the host waits for Stream, as item() does
  Mark,     ///< an iteration begins
  Empty,    ///< emptyCache()
  Host      ///< the host works for Value ns
};

struct Op {
  OpKind Kind;
  uint16_t Stream = 0;
  uint32_t Id = 0;
  uint64_t Value = 0;
  uint32_t First = 0, Count = 0;
};

/// What a kernel touches: a whole block.
struct Use {
  uint32_t Id;
  bool Write;
};

struct Trace {
  std::vector<Op> Ops;
  std::vector<Use> Uses;
  uint32_t Blocks = 0;
  uint32_t Persistent = 0; ///< blocks allocated before the first mark
  uint32_t Streams = 1;
  uint32_t Iterations = 0;
  uint64_t IdealPeak = 0;
  /// The peaks of the streams, each for itself; their sum is what pools that
  /// share nothing need at least.
  std::vector<uint64_t> StreamPeaks;
};

/// Why a trace is not well-formed (block used before it is allocated, freed
/// twice, ...), with the number of the operation from 0; empty if it is.
std::string whyMalformed(const Trace &T);

/// Fills in all that follows from the operations: counts and peaks. Wants a
/// well-formed trace.
void measure(Trace &T);

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_TRACE_H

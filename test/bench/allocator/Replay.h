//===- Replay.h - Runs a trace on an allocator ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// On a request that cannot be met the rest of the iteration is dropped and its
/// blocks are freed, as a trainer that skips a batch would do; blocks of
/// earlier iterations are still freed where the trace says so.
///
/// Kernels run on the fake driver's clock with what they touch: an allocator
/// that hands out memory in use, or takes it away, is caught there.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_REPLAY_H
#define TORCHTIDY_BENCH_ALLOCATOR_REPLAY_H

#include "Subject.h"
#include "Trace.h"
#include <map>

namespace torchtidy::bench {

struct Result {
  uint64_t Base = 0;       ///< the device's memory in use before
  uint64_t DevicePeak = 0; ///< of the device's memory, less Base
  /// The greatest quotient, at any time, of memory in use above Allowance and
  /// the most that was live until then.
  static constexpr uint64_t Allowance = 16 * MiB;
  double RunningRatio = 0;
  SubjectStatistics Statistics;
  uint64_t Dropped = 0; ///< iterations that ran out of memory
  bool Fatal = false;   ///< not even the persistent blocks fit
  uint64_t Pairs = 0;   ///< blocks allocated and freed
  /// Calls to the driver without those of the replay, by name; and those of
  /// them that get or give memory in the last third of the iterations.
  std::map<std::string, uint64_t> Calls;
  uint64_t LateCalls = 0;
  uint64_t DriverNs = 0, StallNs = 0; ///< latencies and waits of these calls
  uint64_t EndNs = 0;                 ///< the clock at the end of the trace
  uint64_t Faults = 0, Races = 0; ///< failed calls of the replay's own: faults
  std::string FirstFault;
};

/// Makes the device's context current, as the runtime does at its first use.
/// 0, or the driver's error.
int useDevice();

/// With launches, waits and measuring; \p StopWhenFull ends with the first
/// request that cannot be met.
Result replay(const Trace &T, Subject &S, bool StopWhenFull);

/// CPU time of this thread in ns per block allocated and freed, without
/// launches; nothing else is done than look-ups in the trace. 0: ran out of
/// memory.
double cpuPerPair(const Trace &T, Subject &S);

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_REPLAY_H

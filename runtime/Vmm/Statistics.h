//===- Statistics.h - What LibTorch's DeviceStats count ---------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Names and meanings are those of c10/core/CachingDeviceAllocator.h
/// (DeviceStats). A segment is a handle here. Bytes, and counts.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_STATISTICS_H
#define TORCHTIDY_RUNTIME_VMM_STATISTICS_H

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace torchtidy::vmm {

struct Stat {
  int64_t Current = 0, Peak = 0, Allocated = 0, Freed = 0;

  void increase(int64_t By) {
    Current += By;
    Peak = std::max(Peak, Current);
    Allocated += By;
  }
  void decrease(int64_t By) {
    Current -= By;
    Freed += By;
  }
};

/// One sum over all, and apart for requests up to 1 MiB and above.
enum StatPool { Aggregate, SmallPool, LargePool, StatPools };

struct PoolStatistics {
  Stat Allocation, Segment, Active, InactiveSplit;
  Stat AllocatedBytes, ReservedBytes, ActiveBytes, InactiveSplitBytes,
      RequestedBytes;
};

struct Statistics {
  PoolStatistics Pools[StatPools];
  /// Times that memory had to be taken back before a request could be met.
  int64_t AllocRetries = 0;
  int64_t OutOfMemories = 0;
  /// Waits for the device.
  int64_t SyncAllStreams = 0;
  int64_t DeviceAllocations = 0, DeviceFrees = 0;
  /// Of ours: handles mapped at a second address, and taken from a stream.
  int64_t Remaps = 0, Steals = 0, Revivals = 0;
};

/// Held for a few instructions: streams share the peaks of their sums.
class StatisticsLock {
public:
  void lock() {
    while (Taken.exchange(true, std::memory_order_acquire))
      while (Taken.load(std::memory_order_relaxed))
        __builtin_ia32_pause();
  }
  void unlock() { Taken.store(false, std::memory_order_release); }

private:
  std::atomic<bool> Taken{false};
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_STATISTICS_H

//===- Device.h - What the arenas of one device share -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_DEVICE_H
#define TORCHTIDY_RUNTIME_VMM_DEVICE_H

#include "Options.h"
#include "Statistics.h"
#include "Tables.h"
#include <mutex>
#include <vector>

namespace torchtidy::vmm {

struct Device {
  Device(Driver &D, const Options &Given) : D(D), Settings(Given) {
    // Where memory moves by the page, large handles save nothing.
    if (!D.aliases())
      Settings.LargestHandle = PageBytes;
  }

  Driver &D;
  Options Settings;
  PageTable Pages;
  StatisticsLock StatisticsAccess;
  Statistics Counted;

  /// Whatever changes mappings is done by one thread at a time. Who holds it
  /// may lock arenas; who holds an arena must not ask for it.
  std::mutex Growth;
  /// One more of them.
  void count(int64_t Statistics::*What) {
    std::lock_guard<StatisticsLock> G(StatisticsAccess);
    ++(Counted.*What);
  }

  /// The rest under Growth.
  std::vector<Handle *> Pool; ///< of no arena, in use by nothing
  std::vector<int> Peers;
  std::atomic<size_t> Reserved{0}; ///< bytes of all handles; read without it
  size_t Limit = 0;                ///< bytes that Reserved may reach
  size_t Expected = 0; ///< bytes that it can reach, as far as is known
  uint64_t Searches = 0;
  /// Memory is in large handles, and the limit has come near or much is lost to
  /// fragmentation: Refined says that something was done about it.
  std::atomic<bool> Coarse{false};
  bool Refined = false;
  size_t LivePeak = 0; ///< most bytes in blocks at once; with the statistics

  /// By which share is more reserved, with so many bytes more, than was live
  /// at once and is made ahead? In 1/65536.
  size_t excess(size_t Bytes);
  /// How much of that is accepted: little where memory is scarce, in 1/65536.
  size_t accepted(unsigned Share) const;
  /// Bytes that new memory comes in at least, if nothing speaks against it.
  size_t ahead() const;

  /// A new handle, or why not.
  Status create(size_t Bytes, Handle *&To);
  /// Handles of so many bytes together, and of some more if that is cheap and
  /// fits into \p Room; all or none.
  Status createAll(size_t Bytes, size_t Room, std::vector<Handle *> &To);
  /// Addresses to be reserved at once.
  size_t extent() const { return roundUp(Limit + Limit / 4, PageBytes); }
  /// Without mappings. One that the driver does not take back is pooled.
  void release(Handle *H);
  size_t smallExtent() const { return roundUp(Limit / 16, PageBytes); }

  /// Of handles that are to move easily: the fewer the cheaper, but what lies
  /// on one holds all of it.
  size_t fineHandle() const {
    return nearLimit(0) ? PageBytes : Settings.FineHandle;
  }

private:
  bool nearLimit(size_t Bytes) const;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_DEVICE_H

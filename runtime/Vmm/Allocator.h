//===- Allocator.h - Memory of a device, by its virtual memory management -*-
// C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Keeps what is reserved close to what is live. Blocks are cut from ranges of
/// addresses, one set per stream; when no range is long enough, free memory is
/// mapped a second time where it is, instead of more being reserved, and the
/// stitched addresses are kept, so that repeated requests need no driver call.
///
/// All sizes in bytes. Thread-safe; streams do not wait for each other until
/// one needs new memory. A CUDA process that forks must not use it in the
/// child.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_ALLOCATOR_H
#define TORCHTIDY_RUNTIME_VMM_ALLOCATOR_H

#include "Arena.h"
#include "Errors.h"
#include <functional>
#include <shared_mutex>

namespace torchtidy::vmm {

/// A graph's private pool; {0, 0} is the common one.
using PoolId = std::pair<uint64_t, uint64_t>;

class Allocator {
public:
  /// Throws DriverError if the device has no virtual memory management.
  /// \p D outlives the allocator.
  explicit Allocator(Driver &D, const Options &Settings = {});
  ~Allocator();
  Allocator(const Allocator &) = delete;
  Allocator &operator=(const Allocator &) = delete;

  /// Null for 0 bytes, else aligned to 512; throws OutOfMemory or DriverError.
  void *allocate(size_t Bytes, Stream S);
  /// False if no live block begins there; never throws.
  bool free(void *P) noexcept;
  /// \p S uses the block as well: it is used again when that has ended.
  bool recordStream(void *P, Stream S);
  /// Bytes of the live block that begins there, 0 if none does.
  size_t sizeOf(const void *P);

  /// Gives all back to the driver that is wholly free; waits for the device.
  void emptyCache();
  /// Of the total, (0, 1]; what is reserved already stays.
  void setMemoryFraction(double Fraction);
  /// This peer may read and write all memory, also what comes later.
  void enablePeer(int DeviceIndex);

  /// From here on requests of the streams that \p Takes accepts come from a
  /// pool that is not moved until releasePool().
  void beginAllocateToPool(PoolId Pool, std::function<bool(Stream)> Takes);
  void endAllocateToPool(PoolId Pool);
  void releasePool(PoolId Pool);

  /// Called when nothing else helps, before OutOfMemory; true if it freed some.
  void setFreeMemoryCallback(std::function<bool()> Callback);

  Statistics statistics();
  void resetPeaks();
  size_t reserved();

  /// Around fork().
  void lockAll();
  void unlockAll();

private:
  struct Route {
    PoolId Pool;
    std::function<bool(Stream)> Takes;
  };

  Arena &arenaOf(Stream S);
  Arena &findOrMake(Stream S, PoolId Pool);
  void *allocateSlowly(Arena &A, size_t Bytes);
  void *fromOthers(Arena &A, size_t Bytes, Status &Last);
  bool awaitOne();
  void awaitAll();
  void retireAll(std::vector<Arena *> &All, std::vector<Handle *> &To);
  void refine();
  [[noreturn]] void fail(size_t Size, const Status &S);
  std::vector<Arena *> allArenas();

  Device On;
  const uint64_t Serial;
  std::function<bool()> FreeMemory;

  std::shared_mutex ArenasAccess;
  std::map<std::pair<Stream, PoolId>, std::unique_ptr<Arena>> Arenas;
  std::vector<Route> Routes;
  std::atomic<unsigned> RouteCount{0};
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_ALLOCATOR_H

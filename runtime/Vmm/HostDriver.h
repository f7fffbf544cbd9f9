//===- HostDriver.h - Host memory as a device -------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Handles are private anonymous memory that mremap(2) moves: what a forked
/// child writes stays its own, which a memory file would share. Memory can be
/// mapped once only. There are no streams: work has ended when it is queued.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_HOSTDRIVER_H
#define TORCHTIDY_RUNTIME_VMM_HOSTDRIVER_H

#include "Driver.h"
#include <mutex>
#include <unordered_map>

namespace torchtidy::vmm {

class HostDriver final : public Driver {
public:
  /// \p Bytes is all that handles may hold together; 0: the machine's memory.
  explicit HostDriver(size_t Bytes = 0);
  ~HostDriver() override;

  size_t granularity() override;
  bool aliases() const override { return false; }
  Status memoryInfo(MemoryInfo &To) override;
  Status reserve(Address &At, size_t Bytes) override;
  Status unreserve(Address At, size_t Bytes) override;
  Status create(MemoryId &Id, size_t Bytes) override;
  Status release(MemoryId Id) override;
  Status map(Address At, size_t Bytes, MemoryId Id) override;
  Status unmap(Address At, size_t Bytes) override;
  Status setAccess(Address At, size_t Bytes, const int *Peers,
                   size_t PeerCount) override;
  Status record(Event &To, Stream S) override;
  Status query(Event E) override;
  Status wait(Event E) override;
  Status destroy(Event E) override;
  bool capturing(Stream) override { return false; }
  std::string describe(const Status &S) override;

private:
  struct Memory {
    size_t Bytes;
    Address Parked; ///< 0 while mapped
    Address Mapped;
  };

  std::mutex Access;
  std::unordered_map<MemoryId, Memory> Handles;
  std::unordered_map<Address, MemoryId> MappedAt;
  MemoryId LastId = 0;
  size_t Total, Used = 0;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_HOSTDRIVER_H

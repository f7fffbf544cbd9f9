//===- Driver.h - What the allocator needs of a driver ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Virtual memory management of one device: address ranges are reserved, memory
/// is created as handles, and handles are mapped at addresses (CUDA driver API,
/// section "Virtual Memory Management"; cuda.h 13.0). Sizes and addresses are
/// multiples of granularity(), in bytes. A call that fails has changed nothing.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_DRIVER_H
#define TORCHTIDY_RUNTIME_VMM_DRIVER_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace torchtidy::vmm {

using Address = uint64_t;
using MemoryId = uint64_t; ///< the driver's name of a handle
using Stream = void *;
using Event = void *;

enum class Outcome {
  Done,
  OutOfMemory, ///< of the device
  NotReady,    ///< an event's work has not ended
  Failed,      ///< anything else
};

struct [[nodiscard]] Status {
  Outcome What = Outcome::Done;
  int Code = 0;          ///< the driver's
  const char *Call = ""; ///< which function said so

  bool ok() const { return What == Outcome::Done; }
};

struct MemoryInfo {
  size_t Free, Total; ///< bytes of the device
};

class Driver {
public:
  virtual ~Driver() = default;

  /// Of all sizes and addresses; 0 if the device has no such memory management.
  virtual size_t granularity() = 0;
  /// May a handle be mapped at several addresses at once?
  virtual bool aliases() const = 0;
  virtual Status memoryInfo(MemoryInfo &To) = 0;

  virtual Status reserve(Address &At, size_t Bytes) = 0;
  virtual Status unreserve(Address At, size_t Bytes) = 0;
  virtual Status create(MemoryId &Id, size_t Bytes) = 0;
  /// The memory itself goes when no mapping is left.
  virtual Status release(MemoryId Id) = 0;
  virtual Status map(Address At, size_t Bytes, MemoryId Id) = 0;
  /// A run of whole mappings. Not ordered with streams: nothing that still runs
  /// may use these addresses.
  virtual Status unmap(Address At, size_t Bytes) = 0;
  /// Reading and writing, for this device and the \p Peers; whole mappings.
  virtual Status setAccess(Address At, size_t Bytes, const int *Peers,
                           size_t PeerCount) = 0;

  /// An event that is done when what \p S holds now is done.
  virtual Status record(Event &To, Stream S) = 0;
  virtual Status query(Event E) = 0;
  virtual Status wait(Event E) = 0; ///< blocks
  virtual Status destroy(Event E) = 0;
  /// Between begin and end of a graph capture nothing may be asked or awaited.
  virtual bool capturing(Stream S) = 0;

  virtual std::string describe(const Status &S) = 0;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_DRIVER_H

//===- Memory.h - Memory of the devices -------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The rules of CUDA's memory management: physical allocations and who holds
/// them, reservations, mappings and their access, plain allocations. Knows
/// neither time nor contexts.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_MEMORY_H
#define FAKECUDA_MEMORY_H

#include "AccessHistory.h"
#include "AddressSpace.h"
#include "Outcome.h"
#include <array>
#include <memory>
#include <unordered_map>

namespace fakecuda {

struct DeviceMemory {
  uint64_t Limit = 0, Used = 0, Peak = 0, Mapped = 0;
  uint64_t Handles = 0, HandleLimit = 0, Mallocs = 0, Mappings = 0;
};

/// Bytes of a device. Lives as long as a handle or a mapping holds it.
struct Physical {
  int Device;
  uint64_t Size;
  bool Malloc;
  AccessHistory History;
};

/// What is behind a range of addresses.
struct Mapping {
  uint64_t Size = 0;
  uint64_t Handle = 0; // 0: a plain allocation
  std::shared_ptr<Physical> Bytes;
  std::array<uint8_t, MaxDevices> Access = {}; // abi::AccessFlags
  uint64_t BusyUntil = 0; // end of the last kernel that touches it
  Epoch BusyWith;
  bool Freed = false; // by cudaFreeAsync, in the order of its stream
};

class Memory {
public:
  static constexpr uint64_t Granularity = 2 << 20;
  using Map = std::map<uint64_t, Mapping>;

  void reset(int Devices, uint64_t Limit);
  void setAddressLimit(uint64_t Bytes) { Addresses.setLimit(Bytes); }
  DeviceMemory &device(int D) { return Devices[D]; }
  uint64_t reserved() const { return Reserved; }
  /// Takes bytes that no address leads to (a context's).
  Outcome take(int D, uint64_t Bytes);
  void give(int D, uint64_t Bytes) { Devices[D].Used -= Bytes; }

  Outcome allocate(int D, uint64_t Bytes, uint64_t &Address);
  /// The plain allocation that begins at \p Address, or null.
  Mapping *findAllocation(uint64_t Address);
  Outcome free(uint64_t Address);

  Outcome reserve(uint64_t Size, uint64_t Align, uint64_t Hint,
                  uint64_t &Address);
  Outcome freeReservation(uint64_t Address, uint64_t Size);
  Outcome create(uint64_t Size, const abi::MemAllocationProp &Prop,
                 uint64_t &Handle);
  Outcome release(uint64_t Handle);
  Outcome map(uint64_t Address, uint64_t Size, uint64_t Offset,
              uint64_t Handle);
  /// Whether the range is a run of whole mappings, and of how many.
  Outcome wholeMappings(uint64_t Address, uint64_t Size, uint64_t &Count);
  /// The range must be a run of whole mappings.
  void unmap(uint64_t Address, uint64_t Size);
  void setAccess(uint64_t Address, uint64_t Size, int D, int Flags);
  Outcome retain(uint64_t Address, uint64_t &Handle);
  Outcome properties(uint64_t Handle, abi::MemAllocationProp &Prop);
  /// A number that names the physical allocation to import().
  Outcome exportable(uint64_t Handle, int Type);
  Outcome import(uint64_t Exported, uint64_t &Handle);

  /// The mapping or plain allocation at \p Address, or end().
  Map::iterator find(uint64_t Address);
  Map::iterator end() { return Mappings.end(); }

private:
  struct Handle {
    std::shared_ptr<Physical> Bytes;
    abi::MemAllocationProp Prop;
    uint64_t References, Mappings;
  };
  using HandleMap = std::unordered_map<uint64_t, Handle>;

  HandleMap::iterator live(uint64_t Id);
  void drop(HandleMap::iterator It);
  void dropPhysical(std::shared_ptr<Physical> &Bytes);

  std::array<DeviceMemory, MaxDevices> Devices;
  AddressSpace Addresses;
  std::map<uint64_t, uint64_t> Reservations; // begin to size
  Map Mappings;
  HandleMap Handles;
  // Goes on after a reset, so that old handles stay invalid.
  uint64_t NextHandle = 0x1000;
  uint64_t Reserved = 0;
  int Count = 0;
};

} // namespace fakecuda

#endif // FAKECUDA_MEMORY_H

//===- Memory.cpp - Memory of the devices ---------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory.h"

using namespace fakecuda;
using namespace fakecuda::abi;

static bool isAligned(uint64_t Value) {
  return Value % Memory::Granularity == 0;
}

void Memory::reset(int NewCount, uint64_t Limit) {
  Devices = {};
  Count = NewCount;
  for (int D = 0; D < Count; ++D)
    Devices[D].Limit = Limit;
  Addresses.reset();
  Reservations.clear();
  Mappings.clear();
  Handles.clear();
  Reserved = 0;
}

Outcome Memory::take(int D, uint64_t Bytes) {
  DeviceMemory &M = Devices[D];
  if (Bytes > M.Limit || M.Used > M.Limit - Bytes)
    return {OutOfMemory, "the device has not that much memory left"};
  M.Used += Bytes;
  M.Peak = std::max(M.Peak, M.Used);
  return {};
}

Outcome Memory::allocate(int D, uint64_t Bytes, uint64_t &Address) {
  uint64_t Size = (Bytes + Granularity - 1) & ~(Granularity - 1);
  if (Size < Bytes)
    return {OutOfMemory, "more than there are addresses"};
  if (Outcome O = take(D, Size); O.Error)
    return O;
  Address = Addresses.take(Size, Granularity);
  if (!Address) {
    give(D, Size);
    return {OutOfMemory, "no device addresses left"};
  }
  Mapping &M = Mappings[Address];
  M.Size = Size;
  M.Bytes = std::make_shared<Physical>(Physical{D, Size, true, {}});
  M.Access[D] = AccessReadWrite;
  ++Devices[D].Mallocs;
  return {};
}

Mapping *Memory::findAllocation(uint64_t Address) {
  auto It = Mappings.find(Address);
  return It == Mappings.end() || It->second.Handle ? nullptr : &It->second;
}

Outcome Memory::free(uint64_t Address) {
  Mapping *M = findAllocation(Address);
  if (!M)
    return invalid("not the address of a live allocation");
  DeviceMemory &D = Devices[M->Bytes->Device];
  D.Used -= M->Size;
  --D.Mallocs;
  Addresses.give(Address, M->Size);
  Mappings.erase(Address);
  return {};
}

Outcome Memory::reserve(uint64_t Size, uint64_t Align, uint64_t Hint,
                        uint64_t &Address) {
  if (!Size || !isAligned(Size))
    return invalid("the size is no multiple of the granularity");
  if (Align & (Align - 1))
    return invalid("the alignment is no power of two");
  if (!isAligned(Hint))
    return invalid("the hint is no multiple of the granularity");
  Address = Addresses.take(Size, std::max(Align, Granularity), Hint);
  if (!Address)
    return {OutOfMemory, "no device addresses left"};
  Reservations[Address] = Size;
  Reserved += Size;
  return {};
}

Outcome Memory::freeReservation(uint64_t Address, uint64_t Size) {
  auto It = Reservations.find(Address);
  if (It == Reservations.end())
    return invalid("not the begin of a reservation");
  if (It->second != Size)
    return invalid("not the size of the reservation");
  auto M = Mappings.lower_bound(Address);
  if (M != Mappings.end() && M->first < Address + Size)
    return invalid("something is still mapped in the reservation");
  Reservations.erase(It);
  Reserved -= Size;
  Addresses.give(Address, Size);
  return {};
}

Outcome Memory::create(uint64_t Size, const MemAllocationProp &Prop,
                       uint64_t &Handle) {
  if (!Size || !isAligned(Size))
    return invalid("the size is no multiple of the granularity");
  if (Prop.Type != AllocationPinned || Prop.Location.Type != LocationDevice)
    return invalid("not pinned memory of a device");
  int D = Prop.Location.Id;
  if (D < 0 || D >= Count)
    return {InvalidDevice, "no such device"};
  if (Prop.RequestedHandleTypes & ~HandlePosixFd)
    return {NotSupported, "only file descriptors can be exported"};
  DeviceMemory &M = Devices[D];
  if (M.HandleLimit && M.Handles >= M.HandleLimit)
    return {OutOfMemory, "as many handles as are allowed exist"};
  if (Outcome O = take(D, Size); O.Error)
    return O;
  Handle = NextHandle++;
  auto Bytes = std::make_shared<Physical>(Physical{D, Size, false, {}});
  Handles[Handle] = {std::move(Bytes), Prop, 1, 0};
  ++M.Handles;
  return {};
}

Memory::HandleMap::iterator Memory::live(uint64_t Id) {
  auto It = Handles.find(Id);
  return It != Handles.end() && It->second.References ? It : Handles.end();
}

void Memory::dropPhysical(std::shared_ptr<Physical> &Bytes) {
  if (Bytes.use_count() == 1) {
    Devices[Bytes->Device].Used -= Bytes->Size;
    --Devices[Bytes->Device].Handles;
  }
  Bytes.reset();
}

/// Forgets a handle that neither the program nor a mapping names.
void Memory::drop(HandleMap::iterator It) {
  if (It->second.References || It->second.Mappings)
    return;
  dropPhysical(It->second.Bytes);
  Handles.erase(It);
}

Outcome Memory::release(uint64_t Handle) {
  auto It = live(Handle);
  if (It == Handles.end())
    return invalid("not a live handle");
  --It->second.References;
  drop(It);
  return {};
}

Outcome Memory::map(uint64_t Address, uint64_t Size, uint64_t Offset,
                    uint64_t Handle) {
  if (!Size || !isAligned(Size) || !isAligned(Address))
    return invalid("address or size is no multiple of the granularity");
  if (Offset)
    return invalid("the offset must be 0");
  auto It = live(Handle);
  if (It == Handles.end())
    return invalid("not a live handle");
  if (Size != It->second.Bytes->Size)
    return invalid("not the size of the handle");
  auto R = Reservations.upper_bound(Address);
  if (R == Reservations.begin() || (--R, Address - R->first >= R->second) ||
      Size > R->second - (Address - R->first))
    return invalid("not inside one reservation");
  auto Next = Mappings.lower_bound(Address);
  if (Next != Mappings.end() && Next->first < Address + Size)
    return invalid("something is mapped there");
  if (find(Address) != end())
    return invalid("something is mapped there");
  Mapping &M = Mappings[Address];
  M.Size = Size;
  M.Handle = Handle;
  M.Bytes = It->second.Bytes;
  ++It->second.Mappings;
  DeviceMemory &D = Devices[M.Bytes->Device];
  D.Mapped += Size;
  ++D.Mappings;
  return {};
}

Outcome Memory::wholeMappings(uint64_t Address, uint64_t Size,
                              uint64_t &Found) {
  if (!Size || !isAligned(Size) || !isAligned(Address) ||
      Address + Size < Address)
    return invalid("address or size is no multiple of the granularity");
  auto R = Reservations.upper_bound(Address);
  if (R == Reservations.begin() || (--R, Address - R->first >= R->second) ||
      Size > R->second - (Address - R->first))
    return invalid("not inside one reservation");
  Found = 0;
  uint64_t At = Address;
  auto It = Mappings.find(At);
  for (; At < Address + Size; ++It, ++Found) {
    if (It == Mappings.end() || It->first != At)
      return invalid("the range has a hole or begins inside a mapping");
    At += It->second.Size;
  }
  if (At != Address + Size)
    return invalid("the range ends inside a mapping");
  return {};
}

void Memory::unmap(uint64_t Address, uint64_t Size) {
  auto It = Mappings.find(Address);
  while (It != Mappings.end() && It->first < Address + Size) {
    DeviceMemory &D = Devices[It->second.Bytes->Device];
    D.Mapped -= It->second.Size;
    --D.Mappings;
    auto H = Handles.find(It->second.Handle);
    It = Mappings.erase(It);
    --H->second.Mappings;
    drop(H);
  }
}

void Memory::setAccess(uint64_t Address, uint64_t Size, int D, int Flags) {
  for (auto It = Mappings.find(Address);
       It != Mappings.end() && It->first < Address + Size; ++It)
    It->second.Access[D] = Flags;
}

Memory::Map::iterator Memory::find(uint64_t Address) {
  auto It = Mappings.upper_bound(Address);
  if (It == Mappings.begin())
    return Mappings.end();
  --It;
  return Address - It->first < It->second.Size ? It : Mappings.end();
}

Outcome Memory::retain(uint64_t Address, uint64_t &Handle) {
  auto It = find(Address);
  if (It == end() || !It->second.Handle)
    return invalid("nothing is mapped there");
  Handle = It->second.Handle;
  ++Handles.at(Handle).References;
  return {};
}

Outcome Memory::properties(uint64_t Handle, MemAllocationProp &Prop) {
  auto It = live(Handle);
  if (It == Handles.end())
    return invalid("not a live handle");
  Prop = It->second.Prop;
  return {};
}

Outcome Memory::exportable(uint64_t Handle, int Type) {
  auto It = live(Handle);
  if (It == Handles.end())
    return invalid("not a live handle");
  if (Type != HandlePosixFd)
    return {NotSupported, "only file descriptors can be exported"};
  if (!(It->second.Prop.RequestedHandleTypes & Type))
    return invalid("created without this type of handle");
  return {};
}

Outcome Memory::import(uint64_t Exported, uint64_t &Handle) {
  auto It = Handles.find(Exported);
  if (It == Handles.end())
    return invalid("the exported memory is gone");
  Handle = NextHandle++;
  auto Copy = It->second;
  Copy.References = 1;
  Copy.Mappings = 0;
  Handles[Handle] = std::move(Copy);
  return {};
}

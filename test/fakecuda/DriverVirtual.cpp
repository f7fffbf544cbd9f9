//===- DriverVirtual.cpp - Virtual memory management of the driver --------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "CudaDriver.h"
#include "Shareable.h"

using namespace fakecuda;
using namespace fakecuda::abi;

CUresult cuMemGetAllocationGranularity(size_t *Granularity,
                                       const MemAllocationProp *Prop,
                                       int Option) {
  Call C(Entry::cuMemGetAllocationGranularity);
  if (int E = C.error())
    return E;
  if (!Granularity || !Prop || Option < 0 || Option > GranularityRecommended)
    return C.fail(InvalidValue, "null argument or no such option");
  if (Prop->Type != AllocationPinned || Prop->Location.Type != LocationDevice)
    return C.fail(InvalidValue, "not pinned memory of a device");
  if (!C.machine().isDevice(Prop->Location.Id))
    return C.fail(InvalidDevice, "no such device");
  *Granularity = Memory::Granularity;
  return Success;
}

CUresult cuMemAddressReserve(CUdeviceptr *Address, size_t Size, size_t Align,
                             CUdeviceptr Hint, unsigned long long Flags) {
  Call C(Entry::cuMemAddressReserve);
  if (int E = C.error())
    return E;
  if (!Address || Flags)
    return C.fail(InvalidValue, "null argument or flags");
  uint64_t Found = 0;
  if (int E = C.done(C.machine().Mem.reserve(Size, Align, Hint, Found)))
    return E;
  C.charge(1, Size);
  *Address = Found;
  return Success;
}

CUresult cuMemAddressFree(CUdeviceptr Address, size_t Size) {
  Call C(Entry::cuMemAddressFree);
  if (int E = C.error())
    return E;
  C.charge(1, Size);
  return C.done(C.machine().Mem.freeReservation(Address, Size));
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *Handle, size_t Size,
                     const MemAllocationProp *Prop, unsigned long long Flags) {
  Call C(Entry::cuMemCreate);
  if (int E = C.error())
    return E;
  if (!Handle || !Prop || Flags)
    return C.fail(InvalidValue, "null argument or flags");
  uint64_t Made = 0;
  if (int E = C.done(C.machine().Mem.create(Size, *Prop, Made)))
    return E;
  C.charge(1, Size);
  *Handle = Made;
  return Success;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle Handle) {
  Call C(Entry::cuMemRelease);
  if (int E = C.error())
    return E;
  return C.done(C.machine().Mem.release(Handle));
}

CUresult cuMemMap(CUdeviceptr Address, size_t Size, size_t Offset,
                  CUmemGenericAllocationHandle Handle,
                  unsigned long long Flags) {
  Call C(Entry::cuMemMap);
  if (int E = C.error())
    return E;
  if (Flags)
    return C.fail(InvalidValue, "flags must be 0");
  if (int E = C.done(C.machine().Mem.map(Address, Size, Offset, Handle)))
    return E;
  C.charge(1, Size);
  return Success;
}

CUresult cuMemUnmap(CUdeviceptr Address, size_t Size) {
  Call C(Entry::cuMemUnmap);
  if (int E = C.error())
    return E;
  uint64_t Mappings = 0;
  if (int E = C.done(C.machine().unmap(Address, Size, Mappings)))
    return E;
  C.charge(Mappings, Size);
  return Success;
}

static Outcome checkAccess(Machine &M, uint64_t Address, uint64_t Size,
                           const MemAccessDesc &D) {
  if (D.Location.Type != LocationDevice)
    return invalid("not a device's access");
  if (!M.isDevice(D.Location.Id))
    return {InvalidDevice, "no such device"};
  if (D.Flags != AccessNone && D.Flags != AccessRead &&
      D.Flags != AccessReadWrite)
    return invalid("no such access");
  for (auto It = M.Mem.find(Address);
       It != M.Mem.end() && It->first < Address + Size; ++It)
    if (!M.mayAccess(D.Location.Id, It->second.Bytes->Device))
      return {InvalidDevice, "the device is no peer of the memory's"};
  return {};
}

CUresult cuMemSetAccess(CUdeviceptr Address, size_t Size,
                        const MemAccessDesc *Desc, size_t Count) {
  Call C(Entry::cuMemSetAccess);
  if (int E = C.error())
    return E;
  if (!Desc || !Count)
    return C.fail(InvalidValue, "no locations");
  Machine &M = C.machine();
  uint64_t Mappings = 0;
  if (int E = C.done(M.Mem.wholeMappings(Address, Size, Mappings)))
    return E;
  // All or nothing.
  for (size_t I = 0; I < Count; ++I)
    if (int E = C.done(checkAccess(M, Address, Size, Desc[I])))
      return E;
  for (size_t I = 0; I < Count; ++I)
    M.Mem.setAccess(Address, Size, Desc[I].Location.Id, Desc[I].Flags);
  C.charge(Mappings * Count, Size * Count);
  return Success;
}

CUresult cuMemGetAccess(unsigned long long *Flags, const MemLocation *Location,
                        CUdeviceptr Address) {
  Call C(Entry::cuMemGetAccess);
  if (int E = C.error())
    return E;
  if (!Flags || !Location || Location->Type != LocationDevice)
    return C.fail(InvalidValue, "null argument or no device");
  if (!C.machine().isDevice(Location->Id))
    return C.fail(InvalidDevice, "no such device");
  auto It = C.machine().Mem.find(Address);
  if (It == C.machine().Mem.end() || !It->second.Handle)
    return C.fail(InvalidValue, "nothing is mapped there");
  *Flags = It->second.Access[Location->Id];
  return Success;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *Handle,
                                     void *Address) {
  Call C(Entry::cuMemRetainAllocationHandle);
  if (int E = C.error())
    return E;
  if (!Handle)
    return C.fail(InvalidValue, "null argument");
  uint64_t Found = 0;
  auto At = reinterpret_cast<uint64_t>(Address);
  if (int E = C.done(C.machine().Mem.retain(At, Found)))
    return E;
  *Handle = Found;
  return Success;
}

CUresult
cuMemGetAllocationPropertiesFromHandle(MemAllocationProp *Prop,
                                       CUmemGenericAllocationHandle Handle) {
  Call C(Entry::cuMemGetAllocationPropertiesFromHandle);
  if (int E = C.error())
    return E;
  if (!Prop)
    return C.fail(InvalidValue, "null argument");
  return C.done(C.machine().Mem.properties(Handle, *Prop));
}

CUresult cuMemExportToShareableHandle(void *Shareable,
                                      CUmemGenericAllocationHandle Handle,
                                      int Type, unsigned long long Flags) {
  Call C(Entry::cuMemExportToShareableHandle);
  if (int E = C.error())
    return E;
  if (!Shareable || Flags)
    return C.fail(InvalidValue, "null argument or flags");
  if (int E = C.done(C.machine().Mem.exportable(Handle, Type)))
    return E;
  int Descriptor = exportHandle(Handle);
  if (Descriptor < 0)
    return C.fail(OperatingSystem, "no file descriptor to be had");
  *static_cast<int *>(Shareable) = Descriptor;
  return Success;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *Handle,
                                        void *Shareable, int Type) {
  Call C(Entry::cuMemImportFromShareableHandle);
  if (int E = C.error())
    return E;
  if (!Handle || Type != HandlePosixFd)
    return C.fail(InvalidValue, "null argument or no file descriptor");
  uint64_t Exported = 0, Made = 0;
  if (int E = C.done(
          importHandle(int(reinterpret_cast<intptr_t>(Shareable)), Exported)))
    return E;
  if (int E = C.done(C.machine().Mem.import(Exported, Made)))
    return E;
  *Handle = Made;
  return Success;
}

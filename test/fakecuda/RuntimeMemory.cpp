//===- RuntimeMemory.cpp - Memory of the runtime --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "CudaRuntime.h"
#include <cstring>

using namespace fakecuda;
using namespace fakecuda::abi;

cudaError_t cudaMalloc(void **Address, size_t Bytes) {
  Call C(Entry::cudaMalloc);
  if (int E = C.error())
    return E;
  if (!Address)
    return C.fail(InvalidValue, "null argument");
  uint64_t Found = 0;
  if (Bytes)
    if (int E = C.done(C.machine().allocate(C.device(), Bytes, Found)))
      return E;
  C.charge(1, Bytes);
  *Address = reinterpret_cast<void *>(Found);
  return Success;
}

cudaError_t cudaFree(void *Address) {
  Call C(Entry::cudaFree);
  if (int E = C.error())
    return E;
  if (!Address)
    return Success;
  return C.done(C.machine().free(reinterpret_cast<uint64_t>(Address)));
}

cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  Call C(Entry::cudaMemGetInfo);
  if (int E = C.error())
    return E;
  if (!Free || !Total)
    return C.fail(InvalidValue, "null argument");
  C.machine().collect();
  C.machine().memoryInfo(C.device(), Free, Total);
  return Success;
}

/// A copy takes no time on its stream, but touches what is device memory.
static Outcome copy(Call &C, void *Handle, void *To, const void *From,
                    size_t Bytes, Stream *&S) {
  if (!C.findStream(Handle, S))
    return {InvalidHandle, "no such stream"};
  FakeCudaRange Ranges[2];
  size_t N = 0;
  auto Target = reinterpret_cast<uint64_t>(To);
  auto Source = reinterpret_cast<uint64_t>(From);
  if (Bytes && AddressSpace::contains(Source))
    Ranges[N++] = {Source, Bytes, 0};
  if (Bytes && AddressSpace::contains(Target))
    Ranges[N++] = {Target, Bytes, 1};
  return C.machine().launch(S->Device, *S, 0, Ranges, N);
}

cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes, int) {
  Call C(Entry::cudaMemcpy);
  if (int E = C.error())
    return E;
  Stream *S;
  if (int E = C.done(copy(C, nullptr, To, From, Bytes, S)))
    return E;
  return C.done(C.machine().Time.synchronize(*S, C.unsafeAllowed()));
}

cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Bytes, int,
                            cudaStream_t Handle) {
  Call C(Entry::cudaMemcpyAsync);
  if (int E = C.error())
    return E;
  Stream *S;
  return C.done(copy(C, Handle, To, From, Bytes, S));
}

cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From,
                                int FromDevice, size_t Bytes,
                                cudaStream_t Handle) {
  Call C(Entry::cudaMemcpyPeerAsync);
  if (int E = C.error())
    return E;
  if (!C.machine().isDevice(ToDevice) || !C.machine().isDevice(FromDevice))
    return C.fail(InvalidDevice, "no such device");
  // Copies between devices work without peer access: through the host. Only
  // what the stream's own device reaches is looked at.
  Stream *S;
  if (!C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream");
  const void *Source = FromDevice == S->Device ? From : nullptr;
  void *Target = ToDevice == S->Device ? To : nullptr;
  return C.done(copy(C, Handle, Target, Source, Bytes, S));
}

cudaError_t cudaMallocAsync(void **Address, size_t Bytes, cudaStream_t Handle) {
  Call C(Entry::cudaMallocAsync);
  if (int E = C.error())
    return E;
  Stream *S;
  if (!Address || !Bytes || !C.findStream(Handle, S))
    return C.fail(InvalidValue, "null argument, no bytes or no such stream");
  C.machine().collect();
  uint64_t Found = 0;
  if (int E = C.done(C.machine().Mem.allocate(S->Device, Bytes, Found)))
    return E;
  *Address = reinterpret_cast<void *>(Found);
  return Success;
}

cudaError_t cudaFreeAsync(void *Address, cudaStream_t Handle) {
  Call C(Entry::cudaFreeAsync);
  if (int E = C.error())
    return E;
  Stream *S;
  if (!C.findStream(Handle, S))
    return C.fail(InvalidHandle, "no such stream");
  if (!Address)
    return Success;
  C.machine().collect();
  auto At = reinterpret_cast<uint64_t>(Address);
  return C.done(C.machine().freeAsync(At, *S));
}

// One pool per device, of which nothing but its being there is modelled.
static char PoolPlaces[MaxDevices];

static int poolDevice(cudaMemPool_t Pool) {
  for (int D = 0; D < MaxDevices; ++D)
    if (Pool == &PoolPlaces[D])
      return D;
  return -1;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int Device) {
  Call C(Entry::cudaDeviceGetDefaultMemPool);
  if (int E = C.error())
    return E;
  if (!Pool)
    return C.fail(InvalidValue, "null argument");
  if (!C.machine().isDevice(Device))
    return C.fail(InvalidDevice, "no such device");
  *Pool = &PoolPlaces[Device];
  return Success;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t Pool, int, void *Value) {
  Call C(Entry::cudaMemPoolGetAttribute);
  if (int E = C.error())
    return E;
  int D = poolDevice(Pool);
  if (D < 0 || !Value)
    return C.fail(InvalidValue, "null argument or no pool");
  uint64_t Used = C.machine().Mem.device(D).Used;
  std::memcpy(Value, &Used, sizeof(Used));
  return Success;
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t Pool, int, void *Value) {
  Call C(Entry::cudaMemPoolSetAttribute);
  if (int E = C.error())
    return E;
  if (poolDevice(Pool) < 0 || !Value)
    return C.fail(InvalidValue, "null argument or no pool");
  return Success;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Pool, const MemAccessDesc *Desc,
                                 size_t) {
  Call C(Entry::cudaMemPoolSetAccess);
  if (int E = C.error())
    return E;
  if (poolDevice(Pool) < 0 || !Desc)
    return C.fail(InvalidValue, "null argument or no pool");
  return Success;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Pool, size_t) {
  Call C(Entry::cudaMemPoolTrimTo);
  if (int E = C.error())
    return E;
  if (poolDevice(Pool) < 0)
    return C.fail(InvalidValue, "no pool");
  return Success;
}

cudaError_t cudaIpcGetMemHandle(IpcMemHandle *, void *) {
  Call C(Entry::cudaIpcGetMemHandle);
  int E = C.error();
  return E ? E : C.fail(NotSupported, "not modelled");
}

cudaError_t cudaIpcOpenMemHandle(void **, IpcMemHandle, unsigned) {
  Call C(Entry::cudaIpcOpenMemHandle);
  int E = C.error();
  return E ? E : C.fail(NotSupported, "not modelled");
}

cudaError_t cudaIpcCloseMemHandle(void *) {
  Call C(Entry::cudaIpcCloseMemHandle);
  int E = C.error();
  return E ? E : C.fail(NotSupported, "not modelled");
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t *,
                                         void *, size_t *) {
  Call C(Entry::cudaGraphNodeGetDependencies);
  int E = C.error();
  return E ? E : C.fail(NotSupported, "not modelled");
}

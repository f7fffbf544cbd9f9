//===- FakeCudart.cpp - Enough of a CUDA runtime to allocate --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The functions that libc10_cuda of LibTorch 2.11 imports, for its caching
/// allocator without expandable segments: one device of 8 GiB whose memory is
/// nothing but addresses, no work ever pending. Needs no CUDA header: only what
/// has a result for the caller has parameters here.
///
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

constexpr int Success = 0, InvalidValue = 1, OutOfMemory = 2,
              NotSupported = 801;
constexpr size_t Total = size_t(8) << 30;

std::mutex Lock;
std::map<uintptr_t, size_t> Blocks;
uintptr_t Next = uintptr_t(0x7) << 44;
size_t Used;

} // namespace

FAKE int cudaMalloc(void **Pointer, size_t Bytes) {
  std::lock_guard<std::mutex> G(Lock);
  if (Bytes > Total - Used)
    return OutOfMemory;
  *Pointer = reinterpret_cast<void *>(Next);
  Blocks[Next] = Bytes;
  Used += Bytes;
  Next += (Bytes + 0x1fffff) & ~size_t(0x1fffff);
  return Success;
}
FAKE int cudaFree(void *Pointer) {
  std::lock_guard<std::mutex> G(Lock);
  auto It = Blocks.find(reinterpret_cast<uintptr_t>(Pointer));
  if (!Pointer)
    return Success;
  if (It == Blocks.end())
    return InvalidValue;
  Used -= It->second;
  Blocks.erase(It);
  return Success;
}
FAKE int cudaMemGetInfo(size_t *Free, size_t *All) {
  std::lock_guard<std::mutex> G(Lock);
  *Free = Total - Used;
  *All = Total;
  return Success;
}

/// Of cudaDeviceProp only the memory's size, behind a name and some numbers.
FAKE int cudaGetDeviceProperties(char *Properties, int) {
  constexpr size_t TotalAt = 288;
  std::memset(Properties, 0, TotalAt);
  std::memcpy(Properties + TotalAt, &Total, sizeof(Total));
  return Success;
}

FAKE int cudaGetDeviceCount(int *Count) { return *Count = 1, Success; }
FAKE int cudaGetDevice(int *Device) { return *Device = 0, Success; }
FAKE int cudaDriverGetVersion(int *Version) {
  return *Version = 13000, Success;
}
FAKE int cudaDeviceCanAccessPeer(int *Can, int, int) {
  return *Can = 0, Success;
}
FAKE int cudaDeviceGetStreamPriorityRange(int *Low, int *High) {
  return *Low = *High = 0, Success;
}
FAKE int cudaStreamIsCapturing(void *, int *Status) {
  return *Status = 0, Success;
}
FAKE int cudaStreamGetCaptureInfo(void *, int *Status) {
  return *Status = 0, Success;
}
FAKE int cudaStreamCreateWithPriority(void **Stream, unsigned, int) {
  return *Stream = nullptr, Success;
}
FAKE int cudaEventCreateWithFlags(void **Event, unsigned) {
  return *Event = &Lock, Success;
}
FAKE int cudaEventElapsedTime(float *Time, void *, void *) {
  return *Time = 0, Success;
}
FAKE const char *cudaGetErrorString(int Error) {
  return Error == OutOfMemory ? "out of memory" : "some error";
}
FAKE const char *cudaGetErrorName(int Error) {
  return Error == OutOfMemory ? "cudaErrorMemoryAllocation" : "cudaErrorSome";
}

#define NOTHING_TO_DO(Name)                                                    \
  FAKE int Name() { return Success; }
NOTHING_TO_DO(cudaSetDevice)
NOTHING_TO_DO(cudaDeviceSynchronize)
NOTHING_TO_DO(cudaGetLastError)
NOTHING_TO_DO(cudaEventDestroy)
NOTHING_TO_DO(cudaEventQuery)
NOTHING_TO_DO(cudaEventRecord)
NOTHING_TO_DO(cudaEventSynchronize)
NOTHING_TO_DO(cudaMemcpy)
NOTHING_TO_DO(cudaMemcpyAsync)
NOTHING_TO_DO(cudaMemcpyPeerAsync)
NOTHING_TO_DO(cudaStreamQuery)
NOTHING_TO_DO(cudaStreamSynchronize)
NOTHING_TO_DO(cudaStreamWaitEvent)
NOTHING_TO_DO(cudaThreadExchangeStreamCaptureMode)

#define NOT_HERE(Name)                                                         \
  FAKE int Name() { return NotSupported; }
NOT_HERE(cudaDeviceEnablePeerAccess)
NOT_HERE(cudaDeviceGetDefaultMemPool)
NOT_HERE(cudaFreeAsync)
NOT_HERE(cudaGetDriverEntryPointByVersion)
NOT_HERE(cudaGraphNodeGetDependencies)
NOT_HERE(cudaIpcCloseMemHandle)
NOT_HERE(cudaIpcGetMemHandle)
NOT_HERE(cudaIpcOpenMemHandle)
NOT_HERE(cudaMallocAsync)
NOT_HERE(cudaMemPoolGetAttribute)
NOT_HERE(cudaMemPoolSetAccess)
NOT_HERE(cudaMemPoolSetAttribute)
NOT_HERE(cudaMemPoolTrimTo)

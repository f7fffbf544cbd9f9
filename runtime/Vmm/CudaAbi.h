//===- CudaAbi.h - What is used of the CUDA driver --------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Types and numbers of cuda.h 13.0 as its ABI has them since 10.2 (VMM) and
/// 4.0 (events), so that no toolkit is needed; a test compares them where there
/// is one.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_CUDAABI_H
#define TORCHTIDY_RUNTIME_VMM_CUDAABI_H

#include <cstddef>

namespace torchtidy::vmm::cuda {

using Result = int;
using Device = int;
using DevicePointer = unsigned long long;
using AllocationHandle = unsigned long long;
using Context = void *;

constexpr Result Success = 0, ErrorOutOfMemory = 2, ErrorNotReady = 600,
                 ErrorUnsupported = 801;

struct Location {
  int Type; ///< 1: device
  int Id;
};

struct AllocationProperties {
  int Type;                 ///< 1: pinned
  int RequestedHandleTypes; ///< 0 none, 1 POSIX file descriptor
  Location Where;
  void *Win32Metadata;
  unsigned char CompressionType, GpuDirectRdmaCapable;
  unsigned short Usage;
  unsigned char Reserved[4];
};

struct AccessDescription {
  Location Where;
  int Flags; ///< 3: reading and writing
};

constexpr int LocationDevice = 1, AllocationPinned = 1, AccessReadWrite = 3;
constexpr int GranularityMinimum = 0;
constexpr int AttributeVmmSupported = 102;
constexpr unsigned EventDisableTiming = 2;

// Name of the symbol, parameters.
#define TORCHTIDY_CUDA_FUNCTIONS(F)                                            \
  F(cuInit, (unsigned))                                                        \
  F(cuDeviceGet, (int *, int))                                                 \
  F(cuDeviceGetAttribute, (int *, int, int))                                   \
  F(cuDevicePrimaryCtxRetain, (void **, int))                                  \
  F(cuDevicePrimaryCtxRelease_v2, (int))                                       \
  F(cuCtxGetCurrent, (void **))                                                \
  F(cuCtxPushCurrent_v2, (void *))                                             \
  F(cuCtxPopCurrent_v2, (void **))                                             \
  F(cuMemGetInfo_v2, (size_t *, size_t *))                                     \
  F(cuMemGetAllocationGranularity,                                             \
    (size_t *, const torchtidy::vmm::cuda::AllocationProperties *, int))       \
  F(cuMemAddressReserve, (unsigned long long *, size_t, size_t,                \
                          unsigned long long, unsigned long long))             \
  F(cuMemAddressFree, (unsigned long long, size_t))                            \
  F(cuMemCreate,                                                               \
    (unsigned long long *, size_t,                                             \
     const torchtidy::vmm::cuda::AllocationProperties *, unsigned long long))  \
  F(cuMemRelease, (unsigned long long))                                        \
  F(cuMemMap, (unsigned long long, size_t, size_t, unsigned long long,         \
               unsigned long long))                                            \
  F(cuMemUnmap, (unsigned long long, size_t))                                  \
  F(cuMemSetAccess, (unsigned long long, size_t,                               \
                     const torchtidy::vmm::cuda::AccessDescription *, size_t)) \
  F(cuEventCreate, (void **, unsigned))                                        \
  F(cuEventDestroy_v2, (void *))                                               \
  F(cuEventRecord, (void *, void *))                                           \
  F(cuEventQuery, (void *))                                                    \
  F(cuEventSynchronize, (void *))                                              \
  F(cuStreamIsCapturing, (void *, int *))                                      \
  F(cuGetErrorName, (int, const char **))                                      \
  F(cuGetErrorString, (int, const char **))

} // namespace torchtidy::vmm::cuda

#endif // TORCHTIDY_RUNTIME_VMM_CUDAABI_H

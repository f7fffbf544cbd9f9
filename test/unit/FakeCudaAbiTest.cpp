//===- FakeCudaAbiTest.cpp - The fake's types against the real headers ----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaAbi.h"
#include "gtest/gtest.h"

// Only where there is a toolkit: the fake itself needs none.
#if __has_include(<cuda.h>) && __has_include(<cuda_runtime_api.h>)
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <type_traits>

namespace ours = fakecuda::abi;

#define SAME_SIZE(Ours, Theirs)                                                \
  static_assert(sizeof(Ours) == sizeof(Theirs) &&                              \
                alignof(Ours) == alignof(Theirs))
#define SAME_PLACE(Ours, Field, Theirs, TheirField)                            \
  static_assert(offsetof(Ours, Field) == offsetof(Theirs, TheirField) &&       \
                sizeof(Ours::Field) == sizeof(Theirs::TheirField))
#define SAME_VALUE(Ours, Theirs) static_assert(int(Ours) == int(Theirs))

SAME_SIZE(ours::MemLocation, CUmemLocation);
SAME_PLACE(ours::MemLocation, Type, CUmemLocation, type);
SAME_PLACE(ours::MemLocation, Id, CUmemLocation, id);
SAME_SIZE(ours::MemAllocationProp, CUmemAllocationProp);
SAME_PLACE(ours::MemAllocationProp, Type, CUmemAllocationProp, type);
SAME_PLACE(ours::MemAllocationProp, RequestedHandleTypes, CUmemAllocationProp,
           requestedHandleTypes);
SAME_PLACE(ours::MemAllocationProp, Location, CUmemAllocationProp, location);
SAME_PLACE(ours::MemAllocationProp, AllocFlags, CUmemAllocationProp,
           allocFlags);
SAME_SIZE(ours::MemAccessDesc, CUmemAccessDesc);
SAME_PLACE(ours::MemAccessDesc, Location, CUmemAccessDesc, location);
SAME_PLACE(ours::MemAccessDesc, Flags, CUmemAccessDesc, flags);
SAME_SIZE(ours::MemAccessDesc, cudaMemAccessDesc);
SAME_SIZE(ours::IpcMemHandle, cudaIpcMemHandle_t);
static_assert(sizeof(CUdeviceptr) == 8 &&
              sizeof(CUmemGenericAllocationHandle) == 8 &&
              sizeof(cuuint64_t) == 8 && sizeof(CUresult) == 4 &&
              sizeof(CUdevice) == 4);

// cudaDeviceProp lost fields in 13.0.
#if CUDART_VERSION >= 13000 && CUDART_VERSION < 14000
SAME_SIZE(ours::DeviceProp, cudaDeviceProp);
#define SAME_PROPERTY(Field, TheirField)                                       \
  SAME_PLACE(ours::DeviceProp, Field, cudaDeviceProp, TheirField)
SAME_PROPERTY(Name, name);
SAME_PROPERTY(Uuid, uuid);
SAME_PROPERTY(TotalGlobalMem, totalGlobalMem);
SAME_PROPERTY(SharedMemPerBlock, sharedMemPerBlock);
SAME_PROPERTY(WarpSize, warpSize);
SAME_PROPERTY(MaxThreadsPerBlock, maxThreadsPerBlock);
SAME_PROPERTY(Major, major);
SAME_PROPERTY(Minor, minor);
SAME_PROPERTY(MultiProcessorCount, multiProcessorCount);
SAME_PROPERTY(ConcurrentKernels, concurrentKernels);
SAME_PROPERTY(PciBusId, pciBusID);
SAME_PROPERTY(UnifiedAddressing, unifiedAddressing);
SAME_PROPERTY(MaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor);
#endif

SAME_VALUE(ours::AllocationPinned, CU_MEM_ALLOCATION_TYPE_PINNED);
SAME_VALUE(ours::LocationDevice, CU_MEM_LOCATION_TYPE_DEVICE);
SAME_VALUE(ours::HandlePosixFd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
SAME_VALUE(ours::AccessNone, CU_MEM_ACCESS_FLAGS_PROT_NONE);
SAME_VALUE(ours::AccessRead, CU_MEM_ACCESS_FLAGS_PROT_READ);
SAME_VALUE(ours::AccessReadWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
SAME_VALUE(ours::EventBlockingSync, CU_EVENT_BLOCKING_SYNC);
SAME_VALUE(ours::EventDisableTiming, CU_EVENT_DISABLE_TIMING);
SAME_VALUE(ours::EventInterprocess, CU_EVENT_INTERPROCESS);
SAME_VALUE(ours::StreamNonBlocking, CU_STREAM_NON_BLOCKING);
SAME_VALUE(ours::CaptureNone, CU_STREAM_CAPTURE_STATUS_NONE);
SAME_VALUE(ours::CaptureActive, CU_STREAM_CAPTURE_STATUS_ACTIVE);
SAME_VALUE(ours::CaptureInvalidated, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
SAME_VALUE(ours::CaptureGlobal, CU_STREAM_CAPTURE_MODE_GLOBAL);
SAME_VALUE(ours::CaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
SAME_VALUE(ours::CaptureRelaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
SAME_VALUE(ours::SymbolFound, CU_GET_PROC_ADDRESS_SUCCESS);
SAME_VALUE(ours::SymbolNotFound, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
SAME_VALUE(ours::SymbolFound, cudaDriverEntryPointSuccess);
SAME_VALUE(ours::SymbolNotFound, cudaDriverEntryPointSymbolNotFound);
SAME_VALUE(ours::GranularityMinimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
SAME_VALUE(ours::GranularityRecommended, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);

#define SAME_ATTRIBUTE(Ours, Theirs)                                           \
  SAME_VALUE(ours::Ours, CU_DEVICE_ATTRIBUTE_##Theirs)
SAME_ATTRIBUTE(MaxThreadsPerBlock, MAX_THREADS_PER_BLOCK);
SAME_ATTRIBUTE(MaxSharedMemoryPerBlock, MAX_SHARED_MEMORY_PER_BLOCK);
SAME_ATTRIBUTE(WarpSize, WARP_SIZE);
SAME_ATTRIBUTE(MultiprocessorCount, MULTIPROCESSOR_COUNT);
SAME_ATTRIBUTE(UnifiedAddressing, UNIFIED_ADDRESSING);
SAME_ATTRIBUTE(PciBusId, PCI_BUS_ID);
SAME_ATTRIBUTE(MaxThreadsPerMultiprocessor, MAX_THREADS_PER_MULTIPROCESSOR);
SAME_ATTRIBUTE(AsyncEngineCount, ASYNC_ENGINE_COUNT);
SAME_ATTRIBUTE(ComputeCapabilityMajor, COMPUTE_CAPABILITY_MAJOR);
SAME_ATTRIBUTE(ComputeCapabilityMinor, COMPUTE_CAPABILITY_MINOR);
SAME_ATTRIBUTE(StreamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED);
SAME_ATTRIBUTE(VirtualMemoryManagementSupported,
               VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED);
SAME_ATTRIBUTE(HandleTypePosixFdSupported,
               HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED);
SAME_ATTRIBUTE(MemoryPoolsSupported, MEMORY_POOLS_SUPPORTED);

#define SAME_ERROR(Ours, Driver, Runtime)                                      \
  SAME_VALUE(ours::Ours, Driver);                                              \
  SAME_VALUE(ours::Ours, Runtime)
SAME_ERROR(Success, CUDA_SUCCESS, cudaSuccess);
SAME_ERROR(InvalidValue, CUDA_ERROR_INVALID_VALUE, cudaErrorInvalidValue);
SAME_ERROR(OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, cudaErrorMemoryAllocation);
SAME_ERROR(NotInitialized, CUDA_ERROR_NOT_INITIALIZED,
           cudaErrorInitializationError);
SAME_ERROR(Deinitialized, CUDA_ERROR_DEINITIALIZED, cudaErrorCudartUnloading);
SAME_ERROR(NoDevice, CUDA_ERROR_NO_DEVICE, cudaErrorNoDevice);
SAME_ERROR(InvalidDevice, CUDA_ERROR_INVALID_DEVICE, cudaErrorInvalidDevice);
SAME_ERROR(InvalidContext, CUDA_ERROR_INVALID_CONTEXT,
           cudaErrorDeviceUninitialized);
SAME_ERROR(MapFailed, CUDA_ERROR_MAP_FAILED, cudaErrorMapBufferObjectFailed);
SAME_ERROR(UnmapFailed, CUDA_ERROR_UNMAP_FAILED,
           cudaErrorUnmapBufferObjectFailed);
SAME_ERROR(PeerAccessUnsupported, CUDA_ERROR_PEER_ACCESS_UNSUPPORTED,
           cudaErrorPeerAccessUnsupported);
SAME_ERROR(OperatingSystem, CUDA_ERROR_OPERATING_SYSTEM,
           cudaErrorOperatingSystem);
SAME_ERROR(InvalidHandle, CUDA_ERROR_INVALID_HANDLE,
           cudaErrorInvalidResourceHandle);
SAME_ERROR(IllegalState, CUDA_ERROR_ILLEGAL_STATE, cudaErrorIllegalState);
SAME_ERROR(NotFound, CUDA_ERROR_NOT_FOUND, cudaErrorSymbolNotFound);
SAME_ERROR(NotReady, CUDA_ERROR_NOT_READY, cudaErrorNotReady);
SAME_ERROR(IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, cudaErrorIllegalAddress);
SAME_ERROR(PeerAccessAlreadyEnabled, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED,
           cudaErrorPeerAccessAlreadyEnabled);
SAME_ERROR(ContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED,
           cudaErrorContextIsDestroyed);
SAME_ERROR(LaunchFailed, CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure);
SAME_ERROR(NotPermitted, CUDA_ERROR_NOT_PERMITTED, cudaErrorNotPermitted);
SAME_ERROR(NotSupported, CUDA_ERROR_NOT_SUPPORTED, cudaErrorNotSupported);
SAME_ERROR(StreamCaptureUnsupported, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
           cudaErrorStreamCaptureUnsupported);
SAME_ERROR(StreamCaptureInvalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
           cudaErrorStreamCaptureInvalidated);
SAME_ERROR(StreamCaptureIsolation, CUDA_ERROR_STREAM_CAPTURE_ISOLATION,
           cudaErrorStreamCaptureIsolation);
SAME_ERROR(CapturedEvent, CUDA_ERROR_CAPTURED_EVENT, cudaErrorCapturedEvent);
SAME_ERROR(Unknown, CUDA_ERROR_UNKNOWN, cudaErrorUnknown);

// Functions that are exported under a newer name than programs write.
#define TEXT_OF(Name) #Name
#define EXPANDED(Name) TEXT_OF(Name)
constexpr bool same(const char *A, const char *B) {
  return *A == *B && (!*A || same(A + 1, B + 1));
}
#define FAKECUDA_DRIVER(Name, Symbol, Needs, Ns, NsPerMib)                     \
  static_assert(same(EXPANDED(Name), EXPANDED(Symbol)) ||                      \
                same(EXPANDED(Name), TEXT_OF(Symbol)));
#include "EntryPoints.def"

TEST(FakeCudaAbiTest, AsTheRealHeaders) {
  SUCCEED() << "checked when it was compiled";
}
#else
TEST(FakeCudaAbiTest, AsTheRealHeaders) {
  GTEST_SKIP() << "no CUDA headers where this was compiled";
}
#endif

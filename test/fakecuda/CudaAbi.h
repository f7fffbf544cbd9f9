//===- CudaAbi.h - CUDA's binary interface ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Types and values of CUDA 13.0 on 64-bit Linux, so that no toolkit is needed.
/// FakeCudaAbiTest compares them with the real headers where there are some.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_CUDAABI_H
#define FAKECUDA_CUDAABI_H

#include <cstddef>
#include <cstdint>

namespace fakecuda::abi {

/// CUresult and cudaError_t, whose values agree.
enum Error : int {
#define FAKECUDA_ERROR(Name, Value, Driver, Runtime, Text) Name = Value,
#include "Errors.def"
};

enum LocationType : int { LocationInvalid = 0, LocationDevice = 1 };
enum AllocationType : int { AllocationPinned = 1 };
enum HandleType : int { HandleNone = 0, HandlePosixFd = 1 };
enum AccessFlags : int { AccessNone = 0, AccessRead = 1, AccessReadWrite = 3 };
enum EventFlags : unsigned {
  EventDefault = 0,
  EventBlockingSync = 1,
  EventDisableTiming = 2,
  EventInterprocess = 4
};
enum StreamFlags : unsigned { StreamDefault = 0, StreamNonBlocking = 1 };
enum CaptureStatus : int {
  CaptureNone = 0,
  CaptureActive = 1,
  CaptureInvalidated = 2
};
enum CaptureMode : int {
  CaptureGlobal = 0,
  CaptureThreadLocal = 1,
  CaptureRelaxed = 2
};
/// cudaDriverEntryPointQueryResult and CUdriverProcAddressQueryResult.
enum SymbolResult : int { SymbolFound = 0, SymbolNotFound = 1 };
enum DeviceAttribute : int {
  MaxThreadsPerBlock = 1,
  MaxSharedMemoryPerBlock = 8,
  WarpSize = 10,
  MultiprocessorCount = 16,
  UnifiedAddressing = 41,
  PciBusId = 33,
  MaxThreadsPerMultiprocessor = 39,
  AsyncEngineCount = 40,
  ComputeCapabilityMajor = 75,
  ComputeCapabilityMinor = 76,
  StreamPrioritiesSupported = 78,
  VirtualMemoryManagementSupported = 102,
  HandleTypePosixFdSupported = 103,
  MemoryPoolsSupported = 115
};
enum GranularityOption : int {
  GranularityMinimum = 0,
  GranularityRecommended = 1
};

/// The default stream under its other names; null is the first.
constexpr uintptr_t StreamLegacy = 1, StreamPerThread = 2;

struct MemLocation {
  int Type, Id;
};
struct MemAllocationProp {
  int Type, RequestedHandleTypes;
  MemLocation Location;
  void *Win32HandleMetaData;
  struct {
    unsigned char CompressionType, GpuDirectRdmaCapable;
    unsigned short Usage;
    unsigned char Reserved[4];
  } AllocFlags;
};
struct MemAccessDesc {
  MemLocation Location;
  int Flags;
};
struct IpcMemHandle {
  char Reserved[64];
};

/// cudaDeviceProp, as far as the fake fills it.
struct DeviceProp {
  char Name[256], Uuid[16], Luid[8];
  unsigned LuidDeviceNodeMask;
  size_t TotalGlobalMem, SharedMemPerBlock;
  int RegsPerBlock, WarpSize;
  size_t MemPitch;
  int MaxThreadsPerBlock, MaxThreadsDim[3], MaxGridSize[3];
  size_t TotalConstMem;
  int Major, Minor;
  size_t TextureAlignment, TexturePitchAlignment;
  int MultiProcessorCount;
  char Textures[172]; // integrated to maxSurfaceCubemapLayered, and padding
  int ConcurrentKernels, EccEnabled, PciBusId, PciDeviceId, PciDomainId;
  int TccDriver, AsyncEngineCount, UnifiedAddressing, MemoryBusWidth;
  int L2CacheSize, PersistingL2CacheMaxSize, MaxThreadsPerMultiProcessor;
  char Rest[400];
};

} // namespace fakecuda::abi

#endif // FAKECUDA_CUDAABI_H

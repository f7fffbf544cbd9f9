//===- DeviceFacts.h - What the fake devices are ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_DEVICEFACTS_H
#define FAKECUDA_DEVICEFACTS_H

#include "CudaAbi.h"

namespace fakecuda::facts {

constexpr int Version = 13000;
constexpr const char *Name = "Fake GPU";
constexpr int ComputeMajor = 9, ComputeMinor = 0;
constexpr int Multiprocessors = 132, Warp = 32;
constexpr int ThreadsPerBlock = 1024, ThreadsPerMultiprocessor = 2048;
constexpr int SharedPerBlock = 48 << 10;
constexpr int HighestPriority = -5;

/// 0 for all that is not known here.
inline int attribute(int Attribute, int Device) {
  switch (Attribute) {
  case abi::MaxThreadsPerBlock:
    return ThreadsPerBlock;
  case abi::MaxSharedMemoryPerBlock:
    return SharedPerBlock;
  case abi::WarpSize:
    return Warp;
  case abi::MultiprocessorCount:
    return Multiprocessors;
  case abi::MaxThreadsPerMultiprocessor:
    return ThreadsPerMultiprocessor;
  case abi::PciBusId:
    return Device + 1;
  case abi::ComputeCapabilityMajor:
    return ComputeMajor;
  case abi::ComputeCapabilityMinor:
    return ComputeMinor;
  case abi::AsyncEngineCount:
    return 3;
  case abi::UnifiedAddressing:
  case abi::StreamPrioritiesSupported:
  case abi::VirtualMemoryManagementSupported:
  case abi::HandleTypePosixFdSupported:
  case abi::MemoryPoolsSupported:
    return 1;
  }
  return 0;
}

} // namespace fakecuda::facts

#endif // FAKECUDA_DEVICEFACTS_H

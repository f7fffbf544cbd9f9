//===- Testing.h - Helpers of the fake driver's tests -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_TESTING_H
#define FAKECUDA_TESTING_H

#include "CudaDriver.h"
#include "CudaRuntime.h"
#include "fakecuda.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <unistd.h>

namespace fakecuda::test {

constexpr uint64_t Mib = 1 << 20;

/// A process that has just called cuInit and made the context of device 0
/// current; calls take no time.
class Fresh : public ::testing::Test {
protected:
  void SetUp() override {
    fakecuda_reset();
    begin();
  }
  void begin() {
    makeCallsFree();
    ASSERT_EQ(cuInit(0), 0);
    CUcontext C;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&C, 0), 0);
    ASSERT_EQ(cuCtxSetCurrent(C), 0);
  }
  /// As begin(), with several devices.
  void begin(int Devices) {
    ASSERT_EQ(fakecuda_set_devices(Devices), 0);
    begin();
  }
  static void makeCallsFree() {
#define FAKECUDA_DRIVER(Name, Symbol, Needs, Ns, NsPerMib)                     \
  ASSERT_EQ(fakecuda_set_latency(#Name, 0, 0), nullptr);
#define FAKECUDA_RUNTIME(Name, Needs, Ns, NsPerMib)                            \
  ASSERT_EQ(fakecuda_set_latency(#Name, 0, 0), nullptr);
#include "EntryPoints.def"
  }
};

inline FakeCudaMemory memory(int Device = 0) {
  FakeCudaMemory M;
  fakecuda_memory(Device, &M);
  return M;
}
inline abi::MemAllocationProp memoryOf(int Device) {
  abi::MemAllocationProp P = {};
  P.Type = abi::AllocationPinned;
  P.Location = {abi::LocationDevice, Device};
  return P;
}
inline CUdeviceptr reserve(size_t Size) {
  CUdeviceptr A = 0;
  EXPECT_EQ(cuMemAddressReserve(&A, Size, 0, 0, 0), 0);
  return A;
}
inline CUmemGenericAllocationHandle create(size_t Size, int Device = 0) {
  CUmemGenericAllocationHandle H = 0;
  auto P = memoryOf(Device);
  EXPECT_EQ(cuMemCreate(&H, Size, &P, 0), 0);
  return H;
}
inline void map(CUdeviceptr A, CUmemGenericAllocationHandle H, size_t Size) {
  EXPECT_EQ(cuMemMap(A, Size, 0, H, 0), 0);
}
inline int setAccess(CUdeviceptr A, size_t Size, int Device = 0,
                     int Flags = abi::AccessReadWrite) {
  abi::MemAccessDesc D = {{abi::LocationDevice, Device}, Flags};
  return cuMemSetAccess(A, Size, &D, 1);
}
/// Mapped memory with access for its device.
inline CUdeviceptr mapped(size_t Size, int Device = 0) {
  CUdeviceptr A = reserve(Size);
  map(A, create(Size, Device), Size);
  EXPECT_EQ(setAccess(A, Size, Device), 0);
  return A;
}
inline CUstream stream() {
  CUstream S = nullptr;
  EXPECT_EQ(cuStreamCreate(&S, abi::StreamNonBlocking), 0);
  return S;
}
inline CUevent event(unsigned Flags = abi::EventDefault) {
  CUevent E = nullptr;
  EXPECT_EQ(cuEventCreate(&E, Flags), 0);
  return E;
}
inline CUevent recorded(CUstream S) {
  CUevent E = event();
  EXPECT_EQ(cuEventRecord(E, S), 0);
  return E;
}
inline int launch(CUstream S, uint64_t Ns, CUdeviceptr A, uint64_t Bytes,
                  bool Write = true, int Device = 0) {
  FakeCudaRange R = {A, Bytes, Write};
  return fakecuda_launch(Device, S, Ns, &R, 1);
}
inline int idle(CUstream S, uint64_t Ns, int Device = 0) {
  return fakecuda_launch(Device, S, Ns, nullptr, 0);
}

} // namespace fakecuda::test

#endif // FAKECUDA_TESTING_H

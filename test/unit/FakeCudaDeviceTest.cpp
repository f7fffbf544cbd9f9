//===- FakeCudaDeviceTest.cpp - Contexts, devices and peers ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <thread>

namespace fakecuda::test {
namespace {

class FakeCudaDeviceTest : public Fresh {};

TEST_F(FakeCudaDeviceTest, Contexts) {
  fakecuda_reset();
  ASSERT_EQ(cuInit(0), 0);
  CUdeviceptr A;
  EXPECT_EQ(cuMemAlloc_v2(&A, 1), abi::InvalidContext);
  CUcontext C = nullptr, D = nullptr;
  unsigned Flags;
  int Active = 9, Device = 9;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &Flags, &Active), 0);
  EXPECT_EQ(Active, 0);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&C, 1), abi::InvalidDevice);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), abi::InvalidContext);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&C, 0), 0);
  EXPECT_EQ(cuCtxGetCurrent(&D), 0);
  EXPECT_EQ(D, nullptr) << "retained is not current";
  EXPECT_EQ(cuCtxPushCurrent_v2(C), 0);
  EXPECT_EQ(cuCtxGetCurrent(&D), 0);
  EXPECT_EQ(D, C);
  EXPECT_EQ(cuCtxGetDevice(&Device), 0);
  EXPECT_EQ(Device, 0);
  EXPECT_EQ(cuMemAlloc_v2(&A, 1), 0);
  EXPECT_EQ(cuCtxPushCurrent_v2(&A), abi::InvalidContext);
  EXPECT_EQ(cuCtxSetCurrent(&A), abi::InvalidContext);
  std::thread([] {
    CUcontext Theirs = &Theirs;
    EXPECT_EQ(cuCtxGetCurrent(&Theirs), 0);
    EXPECT_EQ(Theirs, nullptr) << "of each thread its own";
  }).join();
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), 0);
  EXPECT_EQ(cuCtxSynchronize(), abi::ContextIsDestroyed);
  EXPECT_EQ(cuCtxPopCurrent_v2(&D), 0);
  EXPECT_EQ(D, C);
  EXPECT_EQ(cuCtxPopCurrent_v2(&D), abi::InvalidContext);
  EXPECT_EQ(cuCtxSetCurrent(nullptr), 0);
}

TEST_F(FakeCudaDeviceTest, TheRuntimeInitializesByItself) {
  fakecuda_reset();
  void *P = nullptr;
  EXPECT_EQ(cudaMalloc(&P, 1), 0);
  int Active = 0;
  unsigned Flags;
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &Flags, &Active), 0);
  EXPECT_EQ(Active, 1);
  CUcontext C = nullptr;
  EXPECT_EQ(cuCtxGetCurrent(&C), 0);
  EXPECT_NE(C, nullptr);
}

TEST_F(FakeCudaDeviceTest, SeveralDevices) {
  begin(2);
  int N = 0;
  EXPECT_EQ(cudaGetDeviceCount(&N), 0);
  EXPECT_EQ(N, 2);
  EXPECT_EQ(cudaSetDevice(2), abi::InvalidDevice);
  EXPECT_EQ(cudaSetDevice(1), 0);
  std::thread([] {
    int D = 9;
    EXPECT_EQ(cudaGetDevice(&D), 0);
    EXPECT_EQ(D, 0) << "the device is the thread's";
  }).join();
  void *P = nullptr;
  EXPECT_EQ(cudaMalloc(&P, 1), 0);
  EXPECT_EQ(memory(0).Used, 0u);
  EXPECT_EQ(memory(1).Used, 2 * Mib);
  fakecuda_set_limit(1, 2 * Mib);
  EXPECT_EQ(cudaMalloc(&P, 1), abi::OutOfMemory);
  EXPECT_EQ(cudaSetDevice(0), 0);
  EXPECT_EQ(cudaMalloc(&P, 1), 0);
  create(4 * Mib, 0);
  EXPECT_EQ(memory(0).Handles, 1u);
  EXPECT_EQ(memory(1).Handles, 0u);
  EXPECT_EQ(memory(2).Limit, 0u) << "no such device";
}

TEST_F(FakeCudaDeviceTest, StreamsBelongToDevices) {
  begin(2);
  CUstream S0 = stream();
  ASSERT_EQ(cudaSetDevice(1), 0);
  CUstream S1 = stream();
  CUevent E1 = event();
  EXPECT_EQ(cuEventRecord(E1, S0), abi::InvalidHandle);
  EXPECT_EQ(cuEventRecord(E1, S1), 0);
  EXPECT_EQ(cuStreamWaitEvent(S0, E1, 0), 0) << "waiting goes across";
  EXPECT_EQ(idle(S0, 1000, 1), abi::InvalidHandle);
  EXPECT_EQ(idle(S0, 1000, 0), 0);
  EXPECT_EQ(idle(S0, 1000, 2), abi::InvalidDevice);
  EXPECT_EQ(idle(S1, 10, 1), 0);
  EXPECT_EQ(cudaDeviceSynchronize(), 0);
  EXPECT_EQ(fakecuda_stall_ns(), 10u) << "only of this device";
  EXPECT_EQ(idle(nullptr, 50, 1), 0);
  EXPECT_EQ(cudaStreamSynchronize(nullptr), 0);
  EXPECT_EQ(fakecuda_stall_ns(), 60u) << "its own default stream";
}

TEST_F(FakeCudaDeviceTest, PeersAndMappings) {
  begin(2);
  CUdeviceptr P = mapped(2 * Mib, 0);
  int Can = 0;
  EXPECT_EQ(cuDeviceCanAccessPeer(&Can, 1, 0), 0);
  EXPECT_EQ(Can, 1);
  EXPECT_EQ(cuDeviceCanAccessPeer(&Can, 1, 1), 0);
  EXPECT_EQ(Can, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&Can, 1, 2), abi::InvalidDevice);
  EXPECT_EQ(launch(nullptr, 1, P, 1, true, 1), abi::IllegalAddress);
  fakecuda_clear_faults();
  ASSERT_EQ(fakecuda_set_peers(1, 0, 0), 0);
  EXPECT_EQ(setAccess(P, 2 * Mib, 1), abi::InvalidDevice);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&Can, 1, 0), 0);
  EXPECT_EQ(Can, 0);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&Can, 0, 1), 0);
  EXPECT_EQ(Can, 1) << "one direction";
  ASSERT_EQ(fakecuda_set_peers(1, 0, 1), 0);
  EXPECT_EQ(setAccess(P, 2 * Mib, 1), 0);
  EXPECT_EQ(launch(nullptr, 1, P, 1, true, 1), 0);
  EXPECT_EQ(launch(nullptr, 1, P, 1, true, 0), 0);
  EXPECT_EQ(fakecuda_races(), 1u) << "two devices, one memory";
  EXPECT_EQ(fakecuda_set_peers(0, 2, 1), abi::InvalidDevice);
}

TEST_F(FakeCudaDeviceTest, PeersAndPlainMemory) {
  begin(3);
  ASSERT_EQ(fakecuda_set_peers(2, 0, 0), 0);
  CUdeviceptr P;
  ASSERT_EQ(cuMemAlloc_v2(&P, 1), 0);
  EXPECT_EQ(launch(nullptr, 1, P, 1, true, 1), abi::IllegalAddress);
  fakecuda_clear_faults();
  ASSERT_EQ(cudaSetDevice(1), 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), abi::PeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), abi::InvalidDevice);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 1), abi::InvalidValue);
  EXPECT_EQ(launch(nullptr, 1000, P, 1, true, 1), 0);
  ASSERT_EQ(cudaSetDevice(2), 0);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), abi::PeerAccessUnsupported);
  EXPECT_EQ(cuMemFree_v2(P), 0);
  EXPECT_EQ(fakecuda_faults(), 1u) << "device 1 still writes it";
}

TEST_F(FakeCudaDeviceTest, DeviceFacts) {
  abi::DeviceProp P;
  ASSERT_EQ(cudaGetDeviceProperties(&P, 0), 0);
  EXPECT_STREQ(P.Name, "Fake GPU");
  EXPECT_EQ(P.TotalGlobalMem, memory().Limit);
  EXPECT_EQ(P.WarpSize, 32);
  EXPECT_EQ(cudaGetDeviceProperties(&P, 1), abi::InvalidDevice);
  int Value = 0;
  EXPECT_EQ(
      cuDeviceGetAttribute(&Value, abi::VirtualMemoryManagementSupported, 0),
      0);
  EXPECT_EQ(Value, 1);
  EXPECT_EQ(cuDeviceGetAttribute(&Value, 9999, 0), 0);
  EXPECT_EQ(Value, 0);
  EXPECT_EQ(cuDeviceGetAttribute(&Value, 1, 1), abi::InvalidDevice);
  char Name[5];
  EXPECT_EQ(cuDeviceGetName(Name, sizeof(Name), 0), 0);
  EXPECT_STREQ(Name, "Fake") << "cut off";
  size_t Bytes = 0;
  EXPECT_EQ(cuDeviceTotalMem_v2(&Bytes, 0), 0);
  EXPECT_EQ(Bytes, memory().Limit);
  int Version = 0;
  EXPECT_EQ(cuDriverGetVersion(&Version), 0);
  EXPECT_EQ(Version, 13000);
}

} // namespace
} // namespace fakecuda::test

//===- VmmCuda.h - The allocator over the fake CUDA driver ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TEST_UNIT_VMMCUDA_H
#define TORCHTIDY_TEST_UNIT_VMMCUDA_H

#include "Vmm/Allocator.h"
#include "Vmm/CudaDriver.h"
#include "fakecuda.h"
#include <gtest/gtest.h>
#include <string>

extern "C" int cudaStreamCreateWithPriority(void **, unsigned, int);
extern "C" int cuCtxSetCurrent(void *);
extern "C" int cudaStreamWaitEvent(void *, void *, unsigned);
extern "C" int cudaEventCreateWithFlags(void **, unsigned);
extern "C" int cudaEventRecord(void *, void *);
extern "C" int cudaEventDestroy(void *);

namespace torchtidy::vmm {

constexpr size_t MiB = size_t(1) << 20;

/// A device of so many bytes, and an allocator on it.
struct OnFake {
  std::unique_ptr<CudaDriver> D;
  std::unique_ptr<Allocator> A;

  explicit OnFake(size_t Bytes, const Options &Settings = {}, int Devices = 1) {
    fakecuda_set_devices(Devices);
    for (int I = 0; I < Devices; ++I)
      fakecuda_set_limit(I, Bytes);
    std::string Error;
    D = CudaDriver::open(0, Error);
    if (!D)
      throw std::runtime_error(Error);
    A = std::make_unique<Allocator>(*D, Settings);
  }

  static Stream makeStream() {
    Stream S = nullptr;
    if (cudaStreamCreateWithPriority(&S, 1, 0))
      throw std::runtime_error("no stream");
    return S;
  }

  static FakeCudaMemory memory() {
    FakeCudaMemory M{};
    fakecuda_memory(0, &M);
    return M;
  }
};

/// What the process has put on a stream with these addresses.
inline void launch(Stream S, void *P, size_t Bytes, uint64_t Nanoseconds,
                   bool Write = true) {
  FakeCudaRange R{reinterpret_cast<uint64_t>(P), Bytes, Write};
  ASSERT_EQ(fakecuda_launch(0, S, Nanoseconds, &R, 1), 0)
      << fakecuda_first_fault();
}

/// What a program does before a stream uses what another one has made.
inline void order(Stream Earlier, Stream Later) {
  Event E = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&E, 2), 0);
  ASSERT_EQ(cudaEventRecord(E, Earlier), 0);
  ASSERT_EQ(cudaStreamWaitEvent(Later, E, 0), 0);
  ASSERT_EQ(cudaEventDestroy(E), 0);
}

inline void expectNoFault() {
  EXPECT_EQ(fakecuda_faults(), 0u) << fakecuda_first_fault();
  EXPECT_EQ(fakecuda_races(), 0u) << fakecuda_first_fault();
}

} // namespace torchtidy::vmm

#endif // TORCHTIDY_TEST_UNIT_VMMCUDA_H

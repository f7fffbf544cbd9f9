//===- FakeCudaRaceTest.cpp - Faults and races of kernels -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Testing.h"
#include <functional>

namespace fakecuda::test {
namespace {

class FakeCudaRaceTest : public Fresh {
protected:
  void SetUp() override {
    Fresh::SetUp();
    A = stream();
    B = stream();
  }
  /// Kernels on two streams, in that order, without more.
  uint64_t racesOf(CUdeviceptr P, bool FirstWrites, CUdeviceptr Q,
                   bool SecondWrites, uint64_t Bytes = Mib) {
    EXPECT_EQ(launch(A, 100, P, Bytes, FirstWrites), 0);
    EXPECT_EQ(launch(B, 100, Q, Bytes, SecondWrites), 0);
    uint64_t Races = fakecuda_races();
    fakecuda_clear_faults();
    EXPECT_EQ(cuCtxSynchronize(), 0);
    return Races;
  }
  CUstream A, B;
};

TEST_F(FakeCudaRaceTest, MappedMemoryIsFine) {
  CUdeviceptr P = mapped(4 * Mib);
  EXPECT_EQ(launch(A, 10, P, 4 * Mib), 0);
  EXPECT_EQ(launch(A, 10, P + 5, 3), 0);
  EXPECT_EQ(launch(A, 10, P, 0), 0) << "nothing touched";
  EXPECT_EQ(launch(A, 10, 0, 0), 0);
  EXPECT_EQ(fakecuda_faults(), 0u);
  EXPECT_EQ(fakecuda_first_fault(), nullptr);
}

TEST_F(FakeCudaRaceTest, AcrossMappings) {
  CUdeviceptr P = reserve(8 * Mib);
  map(P, create(2 * Mib), 2 * Mib);
  map(P + 2 * Mib, create(4 * Mib), 4 * Mib);
  EXPECT_EQ(setAccess(P, 6 * Mib), 0);
  EXPECT_EQ(launch(A, 10, P + Mib, 5 * Mib), 0);
  EXPECT_EQ(launch(A, 10, P + Mib, 5 * Mib + 1), abi::IllegalAddress);
  EXPECT_EQ(fakecuda_faults(), 1u);
  EXPECT_THAT(fakecuda_first_fault(), ::testing::HasSubstr("is not mapped"));
}

TEST_F(FakeCudaRaceTest, AccessFaults) {
  CUdeviceptr P = reserve(2 * Mib);
  EXPECT_EQ(launch(A, 10, P, 1), abi::IllegalAddress) << "only reserved";
  fakecuda_clear_faults();
  map(P, create(2 * Mib), 2 * Mib);
  EXPECT_EQ(launch(A, 10, P, 1, false), abi::IllegalAddress) << "no access";
  EXPECT_THAT(fakecuda_first_fault(), ::testing::HasSubstr("may not be read"));
  fakecuda_clear_faults();
  EXPECT_EQ(setAccess(P, 2 * Mib, 0, abi::AccessRead), 0);
  EXPECT_EQ(launch(A, 10, P, 1, false), 0);
  EXPECT_EQ(launch(A, 10, P, 1, true), abi::IllegalAddress);
  EXPECT_THAT(fakecuda_first_fault(),
              ::testing::HasSubstr("may not be written"));
  fakecuda_clear_faults();
  FakeCudaRange R = {~uint64_t(0) - 1, 100, 0};
  EXPECT_EQ(fakecuda_launch(0, A, 1, &R, 1), abi::IllegalAddress);
}

TEST_F(FakeCudaRaceTest, AFaultPoisons) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 10, P, 4 * Mib), abi::IllegalAddress);
  CUdeviceptr Q = 0;
  EXPECT_EQ(cuMemAlloc_v2(&Q, Mib), abi::IllegalAddress);
  EXPECT_EQ(cuCtxSynchronize(), abi::IllegalAddress);
  EXPECT_EQ(cuStreamQuery(A), abi::IllegalAddress);
  EXPECT_EQ(cuMemUnmap(P, 2 * Mib), abi::IllegalAddress);
  EXPECT_EQ(launch(A, 10, P, Mib), abi::IllegalAddress);
  void *R = nullptr;
  EXPECT_EQ(cudaMalloc(&R, 1), abi::IllegalAddress);
  EXPECT_EQ(cudaGetLastError(), abi::IllegalAddress);
  EXPECT_EQ(cudaGetLastError(), abi::IllegalAddress) << "it stays";
  const char *Text = nullptr;
  EXPECT_EQ(cuGetErrorString(700, &Text), 0) << "asking is possible";
  EXPECT_EQ(fakecuda_faults(), 1u);
  fakecuda_clear_faults();
  EXPECT_EQ(fakecuda_faults(), 0u);
  EXPECT_EQ(fakecuda_first_fault(), nullptr);
  EXPECT_EQ(cuMemAlloc_v2(&Q, Mib), 0);
  EXPECT_EQ(memory().Mappings, 1u) << "refused calls changed nothing";
}

TEST_F(FakeCudaRaceTest, UnmapUnderAKernel) {
  CUdeviceptr P = reserve(4 * Mib);
  map(P, create(2 * Mib), 2 * Mib);
  map(P + 2 * Mib, create(2 * Mib), 2 * Mib);
  EXPECT_EQ(setAccess(P, 4 * Mib), 0);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(cuMemUnmap(P + 2 * Mib, 2 * Mib), 0);
  EXPECT_EQ(fakecuda_faults(), 0u) << "not in the kernel's footprint";
  EXPECT_EQ(cuMemUnmap(P, 2 * Mib), 0) << "the driver does not notice";
  EXPECT_EQ(fakecuda_faults(), 1u);
  EXPECT_THAT(fakecuda_first_fault(),
              ::testing::HasSubstr("unmap of 0x200000000000"));
  EXPECT_EQ(cuMemAddressFree(P, 4 * Mib), abi::IllegalAddress);
}

TEST_F(FakeCudaRaceTest, UnmapAfterAKernel) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  fakecuda_advance(100);
  EXPECT_EQ(cuMemUnmap(P, 2 * Mib), 0) << "ended, if unseen";
  EXPECT_EQ(fakecuda_faults(), 0u);
}

TEST_F(FakeCudaRaceTest, ReleaseUnderAKernel) {
  CUdeviceptr P = reserve(2 * Mib);
  auto H = create(2 * Mib);
  map(P, H, 2 * Mib);
  EXPECT_EQ(setAccess(P, 2 * Mib), 0);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(cuMemRelease(H), 0);
  EXPECT_EQ(fakecuda_faults(), 0u) << "the mapping keeps the memory";
}

TEST_F(FakeCudaRaceTest, UnorderedKernels) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(racesOf(P, true, P, true), 1u);
  EXPECT_EQ(racesOf(P, true, P, false), 1u);
  EXPECT_EQ(racesOf(P, false, P, true), 1u);
  EXPECT_EQ(racesOf(P, false, P, false), 0u) << "two readers";
  EXPECT_EQ(racesOf(P, true, P + Mib, true), 0u) << "other bytes";
  EXPECT_EQ(racesOf(P, true, P + Mib - 1, true), 1u) << "one byte";
  EXPECT_EQ(racesOf(P, true, mapped(2 * Mib), true), 0u) << "other memory";
}

TEST_F(FakeCudaRaceTest, RacesDoNotPoison) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(launch(B, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 1u);
  EXPECT_EQ(fakecuda_faults(), 0u);
  EXPECT_THAT(fakecuda_first_fault(), ::testing::HasSubstr("race: work 1 of"));
  EXPECT_EQ(cuCtxSynchronize(), 0);
}

TEST_F(FakeCudaRaceTest, OneRacePerPair) {
  CUdeviceptr P = mapped(2 * Mib);
  for (int I = 0; I < 4; ++I)
    EXPECT_EQ(launch(A, 10, P + I * 1024, 1024), 0);
  EXPECT_EQ(launch(B, 10, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 4u) << "four kernels";
  EXPECT_NE(fakecuda_fault_text(3), nullptr);
  EXPECT_EQ(fakecuda_fault_text(4), nullptr);
  FakeCudaRange Two[] = {{P, 100, 1}, {P + 200, 100, 1}};
  EXPECT_EQ(fakecuda_launch(0, A, 10, Two, 2), 0);
  EXPECT_EQ(fakecuda_races(), 5u) << "twice the same kernel";
}

TEST_F(FakeCudaRaceTest, ManyRacesAreCounted) {
  CUdeviceptr P = mapped(2 * Mib);
  for (int I = 0; I < 100; ++I)
    EXPECT_EQ(launch(stream(), 10, P, 10), 0);
  EXPECT_EQ(fakecuda_races(), 99u);
  EXPECT_NE(fakecuda_fault_text(31), nullptr);
  EXPECT_EQ(fakecuda_fault_text(32), nullptr);
}

TEST_F(FakeCudaRaceTest, OneStreamIsOrdered) {
  CUdeviceptr P = mapped(2 * Mib);
  for (int I = 0; I < 3; ++I)
    EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
}

TEST_F(FakeCudaRaceTest, EventsOrder) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  CUevent E = recorded(A);
  EXPECT_EQ(cuStreamWaitEvent(B, E, 0), 0);
  EXPECT_EQ(launch(B, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
  // An event says nothing of what came after it.
  EXPECT_EQ(launch(A, 100, P + Mib, 10), 0);
  EXPECT_EQ(cuStreamWaitEvent(B, E, 0), 0);
  EXPECT_EQ(launch(B, 100, P + Mib, 10), 0);
  EXPECT_EQ(fakecuda_races(), 1u);
}

TEST_F(FakeCudaRaceTest, EventsOrderThroughAThirdStream) {
  CUdeviceptr P = mapped(2 * Mib);
  CUstream C = stream();
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(cuStreamWaitEvent(C, recorded(A), 0), 0);
  EXPECT_EQ(cuStreamWaitEvent(B, recorded(C), 0), 0);
  EXPECT_EQ(launch(B, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
}

TEST_F(FakeCudaRaceTest, HostOrders) {
  CUdeviceptr P = mapped(2 * Mib);
  std::pair<const char *, std::function<void(CUevent)>> Ways[] = {
      {"event query",
       [](CUevent E) {
         fakecuda_advance(1000);
         EXPECT_EQ(cuEventQuery(E), 0);
       }},
      {"event synchronize",
       [](CUevent E) { EXPECT_EQ(cuEventSynchronize(E), 0); }},
      {"stream query",
       [this](CUevent) {
         fakecuda_advance(1000);
         EXPECT_EQ(cuStreamQuery(A), 0);
       }},
      {"stream synchronize",
       [this](CUevent) { EXPECT_EQ(cuStreamSynchronize(A), 0); }},
      {"device synchronize",
       [](CUevent) { EXPECT_EQ(cuCtxSynchronize(), 0); }}};
  for (auto &[Name, Way] : Ways) {
    SCOPED_TRACE(Name);
    EXPECT_EQ(launch(A, 100, P, Mib), 0);
    Way(recorded(A));
    EXPECT_EQ(launch(B, 100, P, Mib), 0);
    EXPECT_EQ(fakecuda_races(), 0u);
    EXPECT_EQ(cuCtxSynchronize(), 0);
  }
}

TEST_F(FakeCudaRaceTest, TimeAloneDoesNotOrder) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  fakecuda_advance(1000);
  EXPECT_EQ(launch(B, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 1u) << "nobody looked";
}

TEST_F(FakeCudaRaceTest, ANotReadyQueryDoesNotOrder) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(cuEventQuery(recorded(A)), abi::NotReady);
  EXPECT_EQ(launch(B, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 1u);
}

TEST_F(FakeCudaRaceTest, WhatWasSubmittedBeforeIsNotOrdered) {
  CUdeviceptr P = mapped(4 * Mib);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(launch(B, 100, P + 2 * Mib, Mib), 0);
  EXPECT_EQ(cuStreamSynchronize(A), 0);
  EXPECT_EQ(launch(A, 100, P + 2 * Mib, Mib), 0) << "B was not seen";
  EXPECT_EQ(fakecuda_races(), 1u);
}

TEST_F(FakeCudaRaceTest, ReadersThenWriter) {
  CUdeviceptr P = mapped(2 * Mib);
  CUstream C = stream();
  EXPECT_EQ(launch(A, 10, P, Mib, false), 0);
  EXPECT_EQ(launch(B, 10, P, Mib, false), 0);
  EXPECT_EQ(cuStreamWaitEvent(C, recorded(A), 0), 0);
  EXPECT_EQ(launch(C, 10, P, Mib, true), 0);
  EXPECT_EQ(fakecuda_races(), 1u) << "with B's read";
  fakecuda_clear_faults();
  EXPECT_EQ(cuCtxSynchronize(), 0);
  EXPECT_EQ(launch(A, 10, P, Mib, false), 0);
  EXPECT_EQ(launch(B, 10, P, Mib, false), 0);
  EXPECT_EQ(cuStreamWaitEvent(C, recorded(A), 0), 0);
  EXPECT_EQ(cuStreamWaitEvent(C, recorded(B), 0), 0);
  EXPECT_EQ(launch(C, 10, P, Mib, true), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
}

TEST_F(FakeCudaRaceTest, ThroughAliases) {
  CUdeviceptr P = reserve(4 * Mib), Q = P + 2 * Mib;
  auto H = create(2 * Mib);
  map(P, H, 2 * Mib);
  map(Q, H, 2 * Mib);
  EXPECT_EQ(setAccess(P, 4 * Mib), 0);
  EXPECT_EQ(racesOf(P, true, Q, true), 1u);
  EXPECT_EQ(racesOf(P, false, Q, false), 0u);
  EXPECT_EQ(racesOf(P, true, Q + Mib, true), 0u) << "the other half";
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(launch(A, 100, Q, Mib), 0) << "on one stream an alias is fine";
  EXPECT_EQ(fakecuda_races(), 0u);
}

TEST_F(FakeCudaRaceTest, MemoryMovedToAnotherAddress) {
  CUdeviceptr P = reserve(4 * Mib);
  auto H = create(2 * Mib);
  map(P, H, 2 * Mib);
  EXPECT_EQ(setAccess(P, 2 * Mib), 0);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  fakecuda_advance(100);
  EXPECT_EQ(cuMemUnmap(P, 2 * Mib), 0);
  map(P + 2 * Mib, H, 2 * Mib);
  EXPECT_EQ(setAccess(P + 2 * Mib, 2 * Mib), 0);
  EXPECT_EQ(launch(B, 100, P + 2 * Mib, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 1u) << "moving orders nothing";
}

TEST_F(FakeCudaRaceTest, NewMemoryHasNoPast) {
  CUdeviceptr P = reserve(2 * Mib);
  auto H = create(2 * Mib);
  map(P, H, 2 * Mib);
  EXPECT_EQ(setAccess(P, 2 * Mib), 0);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  fakecuda_advance(100);
  EXPECT_EQ(cuMemUnmap(P, 2 * Mib), 0);
  EXPECT_EQ(cuMemRelease(H), 0);
  map(P, create(2 * Mib), 2 * Mib);
  EXPECT_EQ(setAccess(P, 2 * Mib), 0);
  EXPECT_EQ(launch(B, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
}

TEST_F(FakeCudaRaceTest, CopiesTouchMemory) {
  void *P = nullptr;
  char Host[16];
  ASSERT_EQ(cudaMalloc(&P, Mib), 0);
  EXPECT_EQ(launch(A, 100, reinterpret_cast<CUdeviceptr>(P), 16, false), 0);
  EXPECT_EQ(cudaMemcpyAsync(Host, P, 16, 2, B), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
  EXPECT_EQ(cudaMemcpyAsync(P, Host, 16, 1, B), 0);
  EXPECT_EQ(fakecuda_races(), 1u);
  EXPECT_EQ(cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(P), 0, 4, A), 0);
  EXPECT_EQ(fakecuda_races(), 2u);
  EXPECT_EQ(cudaMemcpy(P, Host, 2 * Mib + 1, 1), abi::IllegalAddress);
}

TEST_F(FakeCudaRaceTest, PartsOfEarlierAccesses) {
  CUdeviceptr P = mapped(2 * Mib);
  CUstream C = stream();
  // B writes the first half of what A wrote, in order; the rest stays A's.
  EXPECT_EQ(launch(A, 10, P, Mib), 0);
  EXPECT_EQ(cuStreamWaitEvent(B, recorded(A), 0), 0);
  EXPECT_EQ(launch(B, 10, P, Mib / 2), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
  EXPECT_EQ(launch(C, 10, P + Mib - 10, 5), 0);
  EXPECT_EQ(fakecuda_races(), 1u) << "with A";
  EXPECT_THAT(fakecuda_first_fault(), ::testing::HasSubstr("stream #1"));
}

TEST_F(FakeCudaRaceTest, ReadsOverRunsAndGaps) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 10, P + 1000, 1000), 0);
  // In order, over what A wrote and what nobody did.
  EXPECT_EQ(cuStreamWaitEvent(B, recorded(A), 0), 0);
  EXPECT_EQ(launch(B, 10, P, 3000, false), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
  for (uint64_t At : {500, 1500, 2500}) {
    fakecuda_clear_faults();
    EXPECT_EQ(launch(A, 10, P + At, 1), 0);
    EXPECT_EQ(fakecuda_races(), 1u) << At;
  }
}

TEST_F(FakeCudaRaceTest, DestroyedStreams) {
  CUdeviceptr P = mapped(2 * Mib);
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(cuStreamDestroy_v2(A), 0);
  A = stream();
  EXPECT_EQ(launch(A, 100, P, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 1u) << "a new stream is another one";
  fakecuda_clear_faults();
  EXPECT_EQ(launch(B, 100, P + Mib, Mib), 0);
  EXPECT_EQ(cuStreamDestroy_v2(B), 0);
  EXPECT_EQ(cuCtxSynchronize(), 0);
  EXPECT_EQ(launch(A, 100, P + Mib, Mib), 0);
  EXPECT_EQ(fakecuda_races(), 0u);
}

TEST_F(FakeCudaRaceTest, FreedOnTheWrongStream) {
  void *P = nullptr;
  ASSERT_EQ(cudaMallocAsync(&P, Mib, A), 0);
  EXPECT_EQ(launch(B, 100, reinterpret_cast<CUdeviceptr>(P), Mib), 0);
  EXPECT_EQ(cudaFreeAsync(P, A), 0);
  EXPECT_EQ(fakecuda_faults(), 1u) << "B is still at it";
  EXPECT_THAT(fakecuda_first_fault(), ::testing::HasSubstr("free on a stream"));
  fakecuda_clear_faults();
  fakecuda_advance(100);
  EXPECT_EQ(launch(A, 1, reinterpret_cast<CUdeviceptr>(P), 1),
            abi::IllegalAddress);
  EXPECT_THAT(fakecuda_first_fault(), ::testing::HasSubstr("is not mapped"));
}

} // namespace
} // namespace fakecuda::test

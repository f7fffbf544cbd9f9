//===- VmmStreamsTest.cpp - Streams, captures, pools and peers on the virtual
// clock ===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VmmCuda.h"

using namespace torchtidy::vmm;

extern "C" int cudaSetDevice(int);

namespace {

constexpr uint64_t Millisecond = 1'000'000;

uint64_t driverCalls() {
  uint64_t All = 0;
  for (const char *Name : {"cuMemCreate", "cuMemRelease", "cuMemMap",
                           "cuMemUnmap", "cuMemSetAccess"})
    All += fakecuda_count(Name);
  return All;
}

struct VmmStreams : testing::Test {
  OnFake F{256 * MiB};
  Allocator &A = *F.A;
  Stream Other = OnFake::makeStream();

  ~VmmStreams() override { expectNoFault(); }
};

TEST_F(VmmStreams, ABlockThatAnotherStreamUsesIsHeldBack) {
  void *P = A.allocate(20 * MiB, nullptr);
  launch(Other, P, 20 * MiB, 5 * Millisecond);
  A.recordStream(P, Other);
  A.free(P);
  EXPECT_EQ(A.statistics().Pools[Aggregate].AllocatedBytes.Current, 0);
  EXPECT_EQ(A.statistics().Pools[Aggregate].ActiveBytes.Current,
            int64_t(20 * MiB));
  void *Q = A.allocate(20 * MiB, nullptr);
  EXPECT_NE(P, Q);
  launch(nullptr, Q, 20 * MiB, Millisecond);
  A.free(Q);
  fakecuda_advance(10 * Millisecond);
  A.free(A.allocate(512, nullptr));
  EXPECT_EQ(A.statistics().Pools[Aggregate].ActiveBytes.Current, 0);
  EXPECT_EQ(fakecuda_stall_ns(), 0u);
}

TEST_F(VmmStreams, LateEventsAreWaitedFor) {
  fakecuda_set_event_delay(50 * Millisecond);
  void *P = A.allocate(200 * MiB, nullptr);
  launch(Other, P, 200 * MiB, Millisecond);
  A.recordStream(P, Other);
  A.free(P);
  // There is no other memory.
  void *Q = A.allocate(200 * MiB, nullptr);
  EXPECT_GE(fakecuda_stall_ns(), 40 * Millisecond);
  launch(nullptr, Q, 200 * MiB, Millisecond);
  A.free(Q);
}

TEST_F(VmmStreams, AStreamReusesItsOwnMemoryElsewhereWithoutWaiting) {
  std::vector<void *> All;
  for (int I = 0; I < 24; ++I) {
    All.push_back(A.allocate(10 * MiB, nullptr));
    launch(nullptr, All.back(), 10 * MiB, Millisecond);
  }
  for (int I = 0; I < 24; I += 2)
    A.free(All[I]);
  // 120 MiB are free in pieces of 10; kernels still run on them.
  void *Large = A.allocate(90 * MiB, nullptr);
  launch(nullptr, Large, 90 * MiB, Millisecond);
  EXPECT_EQ(fakecuda_stall_ns(), 0u);
  EXPECT_GT(A.statistics().Remaps, 0);
  EXPECT_LE(A.reserved(), 256 * MiB);
  A.emptyCache(); // unmaps: only after the kernels
}

TEST_F(VmmStreams, MemoryGoesToAnotherStreamWhenItIsDone) {
  void *P = A.allocate(200 * MiB, nullptr);
  launch(nullptr, P, 200 * MiB, 7 * Millisecond);
  A.free(P);
  void *Q = A.allocate(200 * MiB, Other);
  EXPECT_GE(fakecuda_stall_ns(), 6 * Millisecond);
  EXPECT_GT(A.statistics().Steals, 0);
  launch(Other, Q, 200 * MiB, Millisecond);
  A.free(Q);
  fakecuda_advance(10 * Millisecond);
  const uint64_t Stall = fakecuda_stall_ns();
  // And back, without a wait and to the same addresses: no driver call.
  const uint64_t Calls = driverCalls();
  void *R = A.allocate(200 * MiB, nullptr);
  launch(nullptr, R, 200 * MiB, Millisecond);
  EXPECT_EQ(fakecuda_stall_ns(), Stall);
  EXPECT_EQ(driverCalls(), Calls);
  A.free(R);
}

/// Requests of the same sizes in the same order: once their addresses are
/// stitched, nothing is asked of the driver any more.
TEST_F(VmmStreams, StableShapesNeedNoDriverCalls) {
  uint64_t Last = 0, Stall = 0;
  for (int I = 0; I < 20; ++I) {
    if (I == 10) {
      Last = driverCalls();
      Stall = fakecuda_stall_ns();
    }
    void *A1 = A.allocate(60 * MiB, nullptr);
    void *B = A.allocate(60 * MiB, nullptr);
    launch(nullptr, A1, 60 * MiB, Millisecond);
    A.free(A1);
    void *C = A.allocate(150 * MiB, nullptr);
    launch(nullptr, C, 150 * MiB, Millisecond);
    void *D = A.allocate(3000, nullptr);
    launch(nullptr, D, 3000, Millisecond);
    for (void *P : {B, C, D})
      A.free(P);
  }
  EXPECT_EQ(driverCalls(), Last);
  EXPECT_EQ(fakecuda_stall_ns(), Stall);
}

TEST_F(VmmStreams, DuringACaptureNothingIsAsked) {
  void *P = A.allocate(20 * MiB, nullptr);
  A.recordStream(P, Other);
  A.free(P);
  void *Held = A.allocate(20 * MiB, nullptr);
  A.recordStream(Held, Other);
  fakecuda_set_capturing(Other, 1);
  A.beginAllocateToPool({1, 1}, [&](Stream S) { return S == Other; });
  A.free(Held);
  const uint64_t Before =
      fakecuda_count("cuEventQuery") + fakecuda_count("cuEventRecord") +
      fakecuda_count("cuEventSynchronize") + fakecuda_count("cuMemUnmap");
  void *InGraph = A.allocate(30 * MiB, Other);
  EXPECT_TRUE(A.free(InGraph));
  EXPECT_EQ(A.allocate(30 * MiB, Other), InGraph) << "within the graph";
  EXPECT_EQ(fakecuda_count("cuEventQuery") + fakecuda_count("cuEventRecord") +
                fakecuda_count("cuEventSynchronize") +
                fakecuda_count("cuMemUnmap"),
            Before);
  A.endAllocateToPool({1, 1});
  fakecuda_set_capturing(Other, 0);
  A.free(InGraph);
  // Held was freed during the capture; its event comes after it.
  A.free(A.allocate(512, nullptr));
  A.free(A.allocate(512, nullptr));
  EXPECT_EQ(A.statistics().Pools[Aggregate].ActiveBytes.Current, 0);
}

TEST_F(VmmStreams, APrivatePoolIsNotMovedBeforeItIsReleased) {
  A.beginAllocateToPool({1, 1}, [](Stream) { return true; });
  A.free(A.allocate(180 * MiB, nullptr));
  A.endAllocateToPool({1, 1});
  // Free, but a graph's replay will use it.
  EXPECT_THROW(A.allocate(180 * MiB, nullptr), OutOfMemory);
  A.emptyCache();
  EXPECT_GE(A.reserved(), 180 * MiB);
  A.releasePool({1, 1});
  EXPECT_TRUE(A.free(A.allocate(180 * MiB, nullptr)));
  A.emptyCache();
  EXPECT_EQ(A.reserved(), 0u);
}

/// A program may end with memory in use, as static tensors are.
TEST(VmmEnd, LiveBlocksStayMapped) {
  OnFake F(256 * MiB);
  const Stream Other = OnFake::makeStream();
  void *Large = F.A->allocate(100 * MiB, nullptr);
  void *Small = F.A->allocate(600, nullptr);
  void *Held = F.A->allocate(600, nullptr);
  launch(Other, Held, 600, 1'000 * Millisecond);
  F.A->recordStream(Held, Other);
  F.A->free(Held);
  F.A.reset();
  launch(nullptr, Large, 100 * MiB, Millisecond);
  launch(nullptr, Small, 600, Millisecond);
  expectNoFault();
}

TEST(VmmPeers, GetAccessToWhatIsThereAndWhatComes) {
  OnFake F(256 * MiB, {}, 2);
  void *Before = F.A->allocate(10 * MiB, nullptr);
  F.A->enablePeer(1);
  void *After = F.A->allocate(100 * MiB, nullptr);
  for (void *P : {Before, After}) {
    FakeCudaRange R{reinterpret_cast<uint64_t>(P), MiB, 1};
    EXPECT_EQ(fakecuda_launch(1, nullptr, 10, &R, 1), 0)
        << fakecuda_first_fault();
  }
  expectNoFault();
  F.A->free(Before);
  F.A->free(After);
}

/// pytorch #196258: empty_cache() with another device current waited for the
/// wrong stream and unmapped memory below running kernels.
TEST(VmmRegressions, Issue196258) {
  OnFake F(256 * MiB, {}, 2);
  void *P = F.A->allocate(50 * MiB, nullptr);
  launch(nullptr, P, 50 * MiB, 20 * Millisecond);
  F.A->free(P);
  ASSERT_EQ(cudaSetDevice(1), 0);
  F.A->emptyCache();
  EXPECT_EQ(F.A->reserved(), 0u);
  EXPECT_GE(fakecuda_stall_ns(), 19 * Millisecond);
  expectNoFault();
  cudaSetDevice(0);
}

/// pytorch #193400: reserved memory grew with every cycle of large requests
/// between which small ones stayed.
TEST(VmmRegressions, Issue193400) {
  OnFake F(size_t(2) << 30);
  std::vector<void *> Kept;
  size_t Live = 0, Most = 0;
  for (int Cycle = 0; Cycle < 100; ++Cycle) {
    const size_t Size = (160 + Cycle % 7 * 13) * MiB;
    void *P = F.A->allocate(Size, nullptr);
    Kept.push_back(F.A->allocate(MiB + MiB / 2, nullptr));
    Live += MiB + MiB / 2;
    Most = std::max(Most, Live + Size);
    F.A->free(P);
  }
  EXPECT_LE(F.A->reserved(), Most + Most / 8);
  for (void *P : Kept)
    F.A->free(P);
}

/// pytorch #188008: after a map or an access call that failed halfway, every
/// later request died, or the process ended in the destructor.
TEST(VmmRegressions, Issue188008) {
  for (const char *Plan : {"cuMemMap@3=2", "cuMemMap@3=999",
                           "cuMemSetAccess@1=999", "cuMemCreate@3=999"})
    for (bool Warm : {false, true}) {
      SCOPED_TRACE(Plan);
      Options Small;
      Small.LargestHandle = 20 * MiB;
      OnFake F(size_t(1) << 30, Small);
      void *First = Warm ? F.A->allocate(50 * MiB, nullptr) : nullptr;
      ASSERT_EQ(fakecuda_inject(Plan), nullptr);
      void *P = nullptr;
      try {
        P = F.A->allocate(100 * MiB, nullptr);
      } catch (const DriverError &) {
      }
      fakecuda_inject(nullptr);
      for (int I = 0; I < 3; ++I)
        EXPECT_TRUE(F.A->free(F.A->allocate(100 * MiB, nullptr)));
      EXPECT_TRUE(F.A->free(F.A->allocate(1024, nullptr)));
      F.A->free(P);
      F.A->free(First);
      F.A->emptyCache();
      EXPECT_EQ(OnFake::memory().Handles, 0u);
      EXPECT_EQ(OnFake::memory().Mapped, 0u);
    }
}

} // namespace

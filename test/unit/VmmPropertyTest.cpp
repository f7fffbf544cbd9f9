//===- VmmPropertyTest.cpp - Random programs against a model --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VmmCuda.h"
#include <map>
#include <random>

using namespace torchtidy::vmm;

extern "C" int cuMemRetainAllocationHandle(unsigned long long *, void *);
extern "C" int cuMemRelease(unsigned long long);

namespace {

struct Live {
  char *At;
  size_t Size;
  unsigned Of; ///< index of its stream
};

class Program {
public:
  Program(unsigned Seed, size_t Memory, size_t Handle) : Random(Seed) {
    Options Settings;
    Settings.LargestHandle = Handle;
    F = std::make_unique<OnFake>(Memory, Settings);
    fakecuda_set_event_delay(Random() % 3 * 200'000);
    Streams = {nullptr, OnFake::makeStream(), OnFake::makeStream()};
  }

  void run(int Operations) {
    for (int I = 0; I < Operations && !testing::Test::HasFailure(); ++I)
      step();
  }

  void finish() {
    while (!All.empty())
      drop(All.size() - 1);
    F->A->emptyCache();
    F->A->emptyCache();
    EXPECT_EQ(OnFake::memory().Handles, 0u);
    EXPECT_EQ(F->A->reserved(), 0u);
    const Statistics S = F->A->statistics();
    for (const PoolStatistics &P : S.Pools)
      for (const Stat *Each :
           {&P.Allocation, &P.Segment, &P.Active, &P.InactiveSplit,
            &P.AllocatedBytes, &P.ReservedBytes, &P.ActiveBytes,
            &P.InactiveSplitBytes, &P.RequestedBytes}) {
        EXPECT_EQ(Each->Current, 0);
        EXPECT_EQ(Each->Allocated, Each->Freed);
      }
    expectNoFault();
  }

  /// No physical page is in two places at once (handles of one page each).
  void checkAliases() {
    std::map<unsigned long long, uint64_t> PageOf;
    for (const Live &L : All)
      for (uint64_t Page = reinterpret_cast<uint64_t>(L.At) / PageBytes;
           Page * PageBytes < reinterpret_cast<uint64_t>(L.At) + L.Size;
           ++Page) {
        unsigned long long Handle = 0;
        ASSERT_EQ(cuMemRetainAllocationHandle(
                      &Handle, reinterpret_cast<void *>(Page * PageBytes)),
                  0);
        ASSERT_EQ(cuMemRelease(Handle), 0);
        ASSERT_EQ(PageOf.emplace(Handle, Page).first->second, Page);
      }
  }

  std::vector<Live> All;
  size_t Bytes = 0, Failed = 0;
  std::unique_ptr<OnFake> F;

private:
  size_t size() {
    switch (Random() % 6) {
    case 0:
    case 1:
      return 1 + Random() % 4096;
    case 2:
      return 1 + Random() % MiB;
    case 3:
      return 1 + Random() % (4 * MiB);
    default:
      return 1 + Random() % (50 * MiB);
    }
  }

  void step() {
    switch (Random() % 10) {
    case 0:
      fakecuda_advance(Random() % 1'000'000);
      return;
    case 1:
      if (Random() % 8 == 0)
        F->A->emptyCache();
      return;
    case 2: // another stream reads what this one has made
      if (!All.empty()) {
        const Live &L = All[Random() % All.size()];
        const unsigned Other = Random() % 3;
        if (Other != L.Of) {
          order(Streams[L.Of], Streams[Other]);
          launch(Streams[Other], L.At, L.Size, Random() % 300'000, false);
          F->A->recordStream(L.At, Streams[Other]);
          // Its own later writes would race with that.
          order(Streams[Other], Streams[L.Of]);
        }
      }
      return;
    case 3:
    case 4:
    case 5:
    case 6:
      make();
      return;
    default:
      if (!All.empty())
        drop(Random() % All.size());
    }
  }

  void make() {
    const size_t Size = size();
    const unsigned Of = Random() % 3;
    try {
      auto *P = static_cast<char *>(F->A->allocate(Size, Streams[Of]));
      launch(Streams[Of], P, Size, Random() % 300'000);
      All.push_back({P, Size, Of});
      Bytes += Size;
    } catch (const OutOfMemory &) {
      ++Failed;
      for (int I = 0; I < 5 && !All.empty(); ++I)
        drop(Random() % All.size());
    }
  }

  void drop(size_t I) {
    ASSERT_TRUE(F->A->free(All[I].At));
    Bytes -= All[I].Size;
    All[I] = All.back();
    All.pop_back();
  }

  std::mt19937 Random;
  std::vector<Stream> Streams;
};

class VmmProperty : public testing::TestWithParam<unsigned> {};

TEST_P(VmmProperty, NoFaultNoRaceNothingLeft) {
  Program P(GetParam(), 512 * MiB, 128 * MiB);
  P.run(3000);
  P.finish();
}

TEST_P(VmmProperty, NoMemoryIsInTwoPlaces) {
  Program P(GetParam(), 256 * MiB, PageBytes);
  for (int I = 0; I < 30; ++I) {
    P.run(100);
    ASSERT_NO_FATAL_FAILURE(P.checkAliases());
  }
  P.finish();
}

INSTANTIATE_TEST_SUITE_P(Seeds, VmmProperty, testing::Range(1u, 41u));

} // namespace

//===- VmmHostTest.cpp - The allocator on host memory ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vmm/Allocator.h"
#include "Vmm/HostDriver.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace torchtidy::vmm;

namespace {

constexpr size_t MiB = size_t(1) << 20;

size_t used(HostDriver &D) {
  MemoryInfo Info{};
  EXPECT_TRUE(D.memoryInfo(Info).ok());
  return Info.Total - Info.Free;
}

TEST(VmmHostDriver, MapsOnceAndKeepsContents) {
  HostDriver D(64 * MiB);
  Address At = 0;
  ASSERT_TRUE(D.reserve(At, 16 * PageBytes).ok());
  MemoryId Id = 0, Other = 0;
  ASSERT_TRUE(D.create(Id, 2 * PageBytes).ok());
  ASSERT_TRUE(D.create(Other, PageBytes).ok());
  ASSERT_TRUE(D.map(At, 2 * PageBytes, Id).ok());
  EXPECT_FALSE(D.map(At + 4 * PageBytes, 2 * PageBytes, Id).ok()) << "twice";
  EXPECT_FALSE(D.release(Id).ok()) << "mapped";
  ASSERT_TRUE(D.map(At + 2 * PageBytes, PageBytes, Other).ok());
  auto *P = reinterpret_cast<char *>(At);
  std::memset(P, 7, 3 * PageBytes);
  EXPECT_FALSE(D.unmap(At, PageBytes).ok()) << "a part of a mapping";
  ASSERT_TRUE(D.unmap(At, 3 * PageBytes).ok());
  EXPECT_FALSE(D.unmap(At, PageBytes).ok()) << "nothing there";
  ASSERT_TRUE(D.map(At + 8 * PageBytes, 2 * PageBytes, Id).ok());
  EXPECT_EQ(P[8 * PageBytes], 7);
  EXPECT_EQ(P[10 * PageBytes - 1], 7);
  ASSERT_TRUE(D.unmap(At + 8 * PageBytes, 2 * PageBytes).ok());
  EXPECT_TRUE(D.release(Id).ok());
  EXPECT_FALSE(D.release(Id).ok()) << "twice";
  EXPECT_TRUE(D.release(Other).ok());
  EXPECT_EQ(used(D), 0u);
  EXPECT_TRUE(D.unreserve(At, 16 * PageBytes).ok());
}

TEST(VmmHostDriver, HasALimit) {
  HostDriver D(4 * PageBytes);
  MemoryId A = 0, B = 0;
  ASSERT_TRUE(D.create(A, 3 * PageBytes).ok());
  EXPECT_EQ(D.create(B, 2 * PageBytes).What, Outcome::OutOfMemory);
  EXPECT_EQ(D.create(B, PageBytes + 1).What, Outcome::Failed) << "granularity";
  EXPECT_TRUE(D.create(B, PageBytes).ok());
}

struct Fixture : testing::Test {
  HostDriver D{512 * MiB};
  std::unique_ptr<Allocator> A = std::make_unique<Allocator>(D);
  void *make(size_t Bytes, Stream S = nullptr) { return A->allocate(Bytes, S); }
};
using VmmHost = Fixture;

TEST_F(VmmHost, AlignsAndCounts) {
  EXPECT_EQ(make(0), nullptr);
  void *P = make(1000), *Q = make(5 * MiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(P) % 512, 0u);
  EXPECT_EQ(A->sizeOf(P), 1024u);
  EXPECT_EQ(A->sizeOf(static_cast<char *>(P) + 512), 0u);
  Statistics S = A->statistics();
  EXPECT_EQ(S.Pools[Aggregate].RequestedBytes.Current, int64_t(1000 + 5 * MiB));
  EXPECT_EQ(S.Pools[SmallPool].AllocatedBytes.Current, 1024);
  EXPECT_EQ(S.Pools[LargePool].Allocation.Current, 1);
  EXPECT_TRUE(A->free(P));
  EXPECT_FALSE(A->free(P)) << "twice";
  EXPECT_TRUE(A->free(nullptr));
  EXPECT_FALSE(A->free(&S)) << "not ours";
  EXPECT_TRUE(A->free(Q));
  S = A->statistics();
  EXPECT_EQ(S.Pools[Aggregate].AllocatedBytes.Current, 0);
  EXPECT_EQ(S.Pools[Aggregate].ActiveBytes.Current, 0);
  EXPECT_EQ(S.Pools[Aggregate].AllocatedBytes.Peak, int64_t(1024 + 5 * MiB));
  EXPECT_GT(A->reserved(), 0u);
  A->emptyCache();
  EXPECT_EQ(A->reserved(), 0u);
  EXPECT_EQ(used(D), 0u);
}

TEST_F(VmmHost, MovesFreeMemoryInsteadOfReservingMore) {
  // Every second block is freed; then one is wanted that no gap holds.
  std::vector<char *> All;
  for (int I = 0; I < 48; ++I)
    All.push_back(static_cast<char *>(make(10 * MiB)));
  for (int I = 0; I < 48; ++I)
    std::memset(All[I], I, 10 * MiB);
  const size_t Before = A->reserved();
  for (int I = 0; I < 48; I += 2)
    A->free(All[I]);
  auto *Large = static_cast<char *>(make(100 * MiB));
  std::memset(Large, 99, 100 * MiB);
  EXPECT_LE(A->reserved(), Before + 32 * MiB);
  EXPECT_GT(A->statistics().Remaps, 0);
  for (int I = 1; I < 48; I += 2) {
    EXPECT_EQ(All[I][0], I);
    EXPECT_EQ(All[I][10 * MiB - 1], I);
  }
}

TEST_F(VmmHost, OutOfMemoryIsAnExceptionAndNotTheEnd) {
  void *P = make(300 * MiB);
  try {
    make(300 * MiB);
    FAIL() << "no exception";
  } catch (const OutOfMemory &E) {
    EXPECT_EQ(E.Facts.Requested, 300 * MiB);
    EXPECT_EQ(E.Facts.Allocated, 300 * MiB);
    EXPECT_NE(std::string(E.what()).find("Tried to allocate 300.00 MiB"),
              std::string::npos)
        << E.what();
  }
  EXPECT_THROW(make(SIZE_MAX - 5), OutOfMemory);
  EXPECT_EQ(A->statistics().OutOfMemories, 2);
  EXPECT_TRUE(A->free(P));
  EXPECT_TRUE(A->free(make(300 * MiB)));
}

TEST_F(VmmHost, FractionsAreKept) {
  A->setMemoryFraction(0.25);
  EXPECT_THROW(make(200 * MiB), OutOfMemory);
  EXPECT_TRUE(A->free(make(100 * MiB)));
  A->setMemoryFraction(1.0);
  EXPECT_TRUE(A->free(make(200 * MiB)));
}

TEST_F(VmmHost, CallbacksFreeMemoryBeforeARequestFails) {
  void *Held = make(400 * MiB);
  int Calls = 0;
  A->setFreeMemoryCallback([&] {
    ++Calls;
    return Held ? A->free(std::exchange(Held, nullptr)) : false;
  });
  EXPECT_TRUE(A->free(make(300 * MiB)));
  EXPECT_EQ(Calls, 1);
}

TEST_F(VmmHost, StreamsLendWhatTheyHaveDoneWith) {
  A->free(make(400 * MiB, reinterpret_cast<Stream>(1)));
  EXPECT_TRUE(A->free(make(400 * MiB, reinterpret_cast<Stream>(2))));
  EXPECT_LE(A->reserved(), 512 * MiB);
}

TEST_F(VmmHost, AForkedChildHasItsOwnMemory) {
  auto *P = static_cast<char *>(make(3 * MiB));
  std::memset(P, 1, 3 * MiB);
  A->lockAll();
  const pid_t Child = fork();
  A->unlockAll();
  if (!Child) {
    std::memset(P, 2, 3 * MiB);
    auto *Q = static_cast<char *>(make(50 * MiB));
    std::memset(Q, 3, 50 * MiB);
    _exit(A->free(P) && A->free(Q) ? 0 : 1);
  }
  int Status = 0;
  ASSERT_EQ(waitpid(Child, &Status, 0), Child);
  EXPECT_EQ(Status, 0);
  EXPECT_EQ(P[MiB], 1);
}

/// Random sizes on several streams; what was written is still there at the end.
TEST_F(VmmHost, KeepsContentsOverManyOperations) {
  for (unsigned Seed = 1; Seed <= 4; ++Seed) {
    std::mt19937 Random(Seed);
    struct Live {
      char *At;
      size_t Size;
      char Value;
    };
    std::vector<Live> All;
    auto Free = [&](size_t I) {
      Live L = All[I];
      ASSERT_EQ(L.At[0], L.Value);
      ASSERT_EQ(L.At[L.Size / 2], L.Value);
      ASSERT_EQ(L.At[L.Size - 1], L.Value);
      ASSERT_TRUE(A->free(L.At));
      All[I] = All.back();
      All.pop_back();
    };
    for (int I = 0; I < 8000; ++I) {
      if (!All.empty() && Random() % 2) {
        Free(Random() % All.size());
        continue;
      }
      const size_t Size = 1 + Random() % (Random() % 2   ? 4096
                                          : Random() % 2 ? MiB
                                                         : 40 * MiB);
      try {
        auto *P = static_cast<char *>(
            make(Size, reinterpret_cast<Stream>(Random() % 3)));
        const char Value = static_cast<char>(Random());
        P[0] = P[Size / 2] = P[Size - 1] = Value;
        All.push_back({P, Size, Value});
      } catch (const OutOfMemory &) {
        for (int K = 0; K < 8 && !All.empty(); ++K)
          Free(Random() % All.size());
      }
    }
    while (!All.empty())
      Free(All.size() - 1);
    A->emptyCache();
    ASSERT_EQ(A->reserved(), 0u);
    ASSERT_EQ(used(D), 0u);
  }
}

TEST(VmmHostThreads, ShareAnAllocator) {
  HostDriver D(size_t(2) << 30);
  {
    Allocator A(D);
    std::vector<std::thread> Threads;
    std::atomic<int> Wrong{0};
    for (int T = 0; T < 64; ++T)
      Threads.emplace_back([&A, &Wrong, T] {
        std::mt19937 Random(T);
        std::vector<std::pair<char *, char>> Mine;
        auto *S = reinterpret_cast<Stream>(T % 5);
        for (int I = 0; I < 400; ++I) {
          if (Mine.size() > 8 || (!Mine.empty() && Random() % 2)) {
            if (*Mine.back().first != Mine.back().second ||
                !A.free(Mine.back().first))
              ++Wrong;
            Mine.pop_back();
            continue;
          }
          const size_t Size = 1 + Random() % (Random() % 8 ? 8192 : 3 * MiB);
          auto *P = static_cast<char *>(A.allocate(Size, S));
          *P = static_cast<char>(T);
          Mine.emplace_back(P, static_cast<char>(T));
          if (I % 200 == 199)
            A.emptyCache();
        }
        for (auto &[P, Value] : Mine)
          if (*P != Value || !A.free(P))
            ++Wrong;
      });
    for (std::thread &T : Threads)
      T.join();
    EXPECT_EQ(Wrong, 0);
    EXPECT_EQ(A.statistics().Pools[Aggregate].AllocatedBytes.Current, 0);
    EXPECT_EQ(A.statistics().Pools[Aggregate].ActiveBytes.Current, 0);
  }
  EXPECT_EQ(used(D), 0u);
}

} // namespace

//===- VmmRangesTest.cpp - Blocks within ranges of addresses --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Vmm/Ranges.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace torchtidy::vmm;

namespace {

constexpr Address Base = Address(1) << 40;
constexpr size_t MiB = size_t(1) << 20;

struct Fixture : testing::Test {
  PageTable Pages;
  Ranges Large{Pages, Ranges::Kind::Large};
  Ranges Small{Pages, Ranges::Kind::Small};

  Fixture() { Pages.add(Base, 1024 * PageBytes); }

  Block *add(unsigned Page, unsigned Count) {
    return Large.add(Base + Page * PageBytes, Count * PageBytes);
  }
};

using VmmRanges = Fixture;

TEST_F(VmmRanges, TakesTheSmallestThatFits) {
  add(0, 10);
  add(20, 3);
  add(30, 5);
  EXPECT_EQ(Large.take(5 * MiB)->At, Base + 20 * PageBytes);
  EXPECT_EQ(Large.take(9 * MiB)->At, Base + 30 * PageBytes);
  EXPECT_EQ(Large.take(11 * MiB)->At, Base);
  EXPECT_EQ(Large.take(10 * MiB), nullptr);
  EXPECT_EQ(Large.freeBytes(), 11 * MiB);
}

TEST_F(VmmRanges, TakesTheLowestOfEquals) {
  add(40, 2);
  add(20, 2);
  add(30, 2);
  EXPECT_EQ(Large.take(3 * MiB)->At, Base + 20 * PageBytes);
  EXPECT_EQ(Large.take(3 * MiB)->At, Base + 30 * PageBytes);
  EXPECT_EQ(Large.take(3 * MiB)->At, Base + 40 * PageBytes);
}

TEST_F(VmmRanges, FindsLiveBlocksOnly) {
  add(0, 4);
  Block *A = Large.take(MiB + 512), *B = Large.take(MiB + 512);
  EXPECT_EQ(Large.find(A->At), A);
  EXPECT_EQ(Large.find(B->At), B);
  EXPECT_EQ(Large.find(A->At + 512), nullptr);
  EXPECT_EQ(Large.find(B->end()), nullptr) << "free";
  EXPECT_EQ(Large.find(Base + 100 * PageBytes), nullptr);
  EXPECT_EQ(Large.find(Base - 4096 * PageBytes), nullptr) << "not ours";
  const Address At = A->At;
  Large.give(A);
  EXPECT_EQ(Large.find(At), nullptr);
}

TEST_F(VmmRanges, RangesThatTouchAreOne) {
  add(0, 2);
  Block *Live = Large.take(4 * MiB);
  add(4, 2);
  Block *Free = add(2, 2); // between them
  EXPECT_EQ(Free->At, Base + 2 * PageBytes);
  EXPECT_EQ(Free->Size, 4 * PageBytes);
  EXPECT_TRUE(Free->split());
  EXPECT_EQ(Large.splitBytes(), 4 * PageBytes);
  Block *All = Large.give(Live);
  EXPECT_EQ(All->Size, 6 * PageBytes);
  EXPECT_FALSE(All->split());
  EXPECT_EQ(Large.splitCount(), 0u);
}

TEST_F(VmmRanges, PagesGoFromTheMiddleAndComeBack) {
  Block *B = add(0, 6);
  Large.order(true);
  Large.remove(B, Base + 2 * PageBytes, 2 * PageBytes);
  EXPECT_EQ(Large.freeBytes(), 4 * PageBytes);
  EXPECT_EQ(Large.covering(Base + 2 * PageBytes), nullptr);
  EXPECT_EQ(Large.covering(Base + PageBytes)->Size, 2 * PageBytes);
  EXPECT_EQ(Large.take(5 * MiB), nullptr);
  EXPECT_EQ(add(2, 2)->Size, 6 * PageBytes);
}

TEST_F(VmmRanges, PagesGoBesideLiveBlocks) {
  add(0, 6);
  Block *Low = Large.take(3 * MiB);
  Large.order(true);
  Large.remove(Large.covering(Base + 5 * PageBytes), Base + 2 * PageBytes,
               4 * PageBytes);
  EXPECT_EQ(Large.freeBytes(), MiB);
  EXPECT_EQ(Large.splitBytes(), MiB);
  Large.remove(Large.give(Low), Base, 2 * PageBytes);
  EXPECT_EQ(Large.freeBytes(), 0u);
}

TEST_F(VmmRanges, SmallPagesStayApart) {
  Small.add(Base, PageBytes);
  Small.add(Base + PageBytes, PageBytes);
  EXPECT_EQ(Small.take(PageBytes + 512), nullptr);
  Block *A = Small.take(512), *B = Small.take(1024);
  EXPECT_EQ(Small.find(A->At), A);
  EXPECT_EQ(Small.find(B->At), B);
  Small.give(A);
  Block *Whole = Small.give(B);
  EXPECT_EQ(Whole->Size, PageBytes);
  EXPECT_FALSE(Whole->split());
  Small.order(true);
  for (Address At : {Base, Base + PageBytes})
    Small.remove(Small.covering(At), At, PageBytes);
  EXPECT_EQ(Small.freeBytes(), 0u);
}

/// Random operations against a map of what is live.
TEST_F(VmmRanges, AgreesWithAModel) {
  for (unsigned Seed = 1; Seed <= 20; ++Seed) {
    SCOPED_TRACE(Seed);
    std::mt19937 Random(Seed);
    PageTable Pages;
    Pages.add(Base, 512 * PageBytes);
    Ranges R(Pages, Ranges::Kind::Large);
    std::vector<bool> There(512);
    std::map<Address, size_t> Live;
    size_t Mapped = 0, Used = 0;
    R.order(Seed % 2);
    for (int I = 0; I < 3000; ++I) {
      switch (Random() % 8) {
      case 0: { // pages come
        const unsigned At = Random() % 500, Count = 1 + Random() % 8;
        bool Free = true;
        for (unsigned P = At; P < At + Count; ++P)
          Free &= !There[P];
        if (!Free)
          break;
        for (unsigned P = At; P < At + Count; ++P)
          There[P] = true;
        R.add(Base + At * PageBytes, Count * PageBytes);
        Mapped += Count * PageBytes;
        break;
      }
      case 1: { // and go
        R.order(true);
        if (R.ordered().empty())
          break;
        Block *B = R.ordered()[Random() % R.ordered().size()];
        const Address At = roundUp(B->At, PageBytes);
        if (At + PageBytes > B->end())
          break;
        There[(At - Base) / PageBytes] = false;
        Mapped -= PageBytes;
        R.remove(B, At, PageBytes);
        R.order(Seed % 2);
        break;
      }
      case 2:
      case 3:
      case 4: {
        const size_t Size = MiB + 512 + Random() % 20000 * 512;
        Block *B = R.take(Size);
        if (!B)
          break;
        ASSERT_EQ(B->Size, Size);
        auto Next = Live.lower_bound(B->At);
        ASSERT_TRUE(Next == Live.end() || B->end() <= Next->first);
        ASSERT_TRUE(Next == Live.begin() ||
                    std::prev(Next)->first + std::prev(Next)->second <= B->At);
        for (Address A = B->At; A < B->end(); A += 512)
          ASSERT_TRUE(There[(A - Base) / PageBytes]);
        Live[B->At] = Size;
        Used += Size;
        break;
      }
      default:
        if (Live.empty())
          break;
        auto It = std::next(Live.begin(), Random() % Live.size());
        Block *B = R.find(It->first);
        ASSERT_TRUE(B);
        Used -= It->second;
        Live.erase(It);
        R.give(B);
      }
      ASSERT_EQ(R.freeBytes(), Mapped - Used);
    }
    R.order(true);
    size_t Free = 0, SplitBytes = 0, Splits = 0;
    const Block *Last = nullptr;
    for (const Block *B : R.ordered()) {
      EXPECT_FALSE(Last && Last->end() == B->At) << "not merged";
      Last = B;
      Free += B->Size;
      Splits += B->split();
      SplitBytes += B->split() ? B->Size : 0;
    }
    EXPECT_EQ(Free, R.freeBytes());
    EXPECT_EQ(SplitBytes, R.splitBytes());
    EXPECT_EQ(Splits, R.splitCount());
  }
}

TEST(VmmFreeLists, FindsTheSmallestEvenFarIntoALongList) {
  FreeLists L;
  std::vector<Block> Blocks(200);
  // All in one list; only the last is large enough.
  for (size_t I = 0; I < Blocks.size(); ++I) {
    Blocks[I].At = Base + I * PageBytes;
    Blocks[I].Size = MiB + (I + 1 == Blocks.size() ? 64 * 512 : 512);
    L.insert(&Blocks[I]);
  }
  EXPECT_EQ(L.find(MiB + 512), &Blocks[0]);
  EXPECT_EQ(L.find(MiB + 64 * 512), &Blocks.back());
  EXPECT_EQ(L.find(MiB + 65 * 512), nullptr);
  for (Block &B : Blocks)
    L.remove(&B);
  EXPECT_EQ(L.find(512), nullptr);
}

} // namespace

//===- Arena.cpp - The memory of one stream: blocks -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arena.h"
#include <set>

using namespace torchtidy::vmm;

/// What is still mapped stays so, for a program that goes on using it.
Arena::~Arena() {
  for (auto &[At, M] : Mappings) {
    for (Address A = At; A < M->end(); A += PageBytes) {
      Page *P = On.Pages.find(A);
      delete P->Small;
      P->Small = nullptr;
    }
    // The last of its mappings takes the handle along.
    Handle *H = M->Of;
    Mapping **Link = &H->First;
    while (*Link != M)
      Link = &(*Link)->Next;
    *Link = M->Next;
    if (!H->First)
      delete H;
    delete M;
  }
  std::set<Block *> Held(Deferred.begin(), Deferred.end());
  for (auto &[S, Queue] : Pending)
    for (auto &[E, B] : Queue)
      Held.insert(B);
  for (Block *B : Held)
    delete B->Other;
}

/// What begins, or ends, with a block.
void Arena::count(size_t Size, size_t Requested, bool Live) {
  const StatPool Pool = isSmall(Size) ? SmallPool : LargePool;
  const auto Bytes = static_cast<int64_t>(Size);
  const auto Asked = static_cast<int64_t>(Requested);
  std::lock_guard<StatisticsLock> G(On.StatisticsAccess);
  for (StatPool P : {Aggregate, Pool}) {
    PoolStatistics &S = On.Counted.Pools[P];
    if (Live) {
      S.Allocation.increase(1);
      S.AllocatedBytes.increase(Bytes);
      S.Active.increase(1);
      S.ActiveBytes.increase(Bytes);
      S.RequestedBytes.increase(Asked);
    } else {
      S.Allocation.decrease(1);
      S.AllocatedBytes.decrease(Bytes);
      S.RequestedBytes.decrease(Asked);
    }
  }
  On.LivePeak = std::max(
      On.LivePeak,
      static_cast<size_t>(On.Counted.Pools[Aggregate].ActiveBytes.Current));
}

/// A block that nothing uses any more is no longer active.
void Arena::finish(Block *B) {
  touch(B);
  const bool IsSmall = isSmall(B->Size);
  const auto Bytes = static_cast<int64_t>(B->Size);
  (IsSmall ? Small : Large).give(B);
  std::lock_guard<StatisticsLock> G(On.StatisticsAccess);
  for (StatPool P : {Aggregate, IsSmall ? SmallPool : LargePool}) {
    On.Counted.Pools[P].Active.decrease(1);
    On.Counted.Pools[P].ActiveBytes.decrease(Bytes);
  }
  countSplits();
}

/// With the statistics locked.
void Arena::countSplits() {
  auto Update = [](Stat &S, int64_t &Old, int64_t New) {
    if (New > Old)
      S.increase(New - Old);
    else if (New < Old)
      S.decrease(Old - New);
    return New - Old;
  };
  int64_t Counts[] = {static_cast<int64_t>(Small.splitCount()),
                      static_cast<int64_t>(Large.splitCount())};
  int64_t Bytes[] = {static_cast<int64_t>(Small.splitBytes()),
                     static_cast<int64_t>(Large.splitBytes())};
  for (int I = 0; I < 2; ++I)
    for (StatPool P : {Aggregate, I ? LargePool : SmallPool}) {
      PoolStatistics &S = On.Counted.Pools[P];
      Update(S.InactiveSplit, SplitCounted[I], Counts[I]);
      Update(S.InactiveSplitBytes, SplitBytesCounted[I], Bytes[I]);
    }
  for (int I = 0; I < 2; ++I) {
    SplitCounted[I] = Counts[I];
    SplitBytesCounted[I] = Bytes[I];
  }
}

void *Arena::take(size_t Bytes) {
  const size_t Size = sizeOf(Bytes);
  Block *B = (isSmall(Size) ? Small : Large).take(Size);
  if (!B)
    return nullptr;
  B->Requested = Bytes;
  count(Size, Bytes, true);
  return reinterpret_cast<void *>(B->At);
}

Block *Arena::find(Address At) const {
  const Page *P = On.Pages.find(At);
  return P ? (P->Small ? Small : Large).find(At) : nullptr;
}

/// Its handles are in use until what the stream holds now has ended.
void Arena::touch(Block *B) {
  ++Epoch;
  for (Address A = B->At; A < B->end();) {
    Mapping *M = On.Pages.find(A)->Map;
    M->Of->LastFree = Epoch;
    A = M->end();
  }
}

bool Arena::give(Address At) {
  Block *B = find(At);
  if (!B || B->Pending)
    return false;
  count(B->Size, B->Requested, false);
  if (B->Other && !B->Other->Streams.empty()) {
    hold(B);
    return true;
  }
  finish(B);
  return true;
}

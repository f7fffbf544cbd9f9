//===- Growth.cpp - Does it grow, judged by windows -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Growth.h"
#include <algorithm>
#include <array>
#include <map>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

using LifeList = std::vector<const Life *>;

/// Sizes at the mark ends, from births and deaths: linear, whatever the run.
struct Census {
  std::vector<int64_t> Count;

  Census(const LifeList &Lives, uint64_t Marks) : Count(Marks + 1) {
    for (const Life *L : Lives) {
      if (L->Birth >= Marks || L->Death <= L->Birth)
        continue;
      Count[L->Birth] += 1;
      Count[std::min(L->Death, Marks)] -= 1;
    }
    for (uint64_t I = 1; I <= Marks; ++I)
      Count[I] += Count[I - 1];
  }
};

GrowthState judgeStack(const LifeList &Lives, uint64_t Marks,
                       bool MayBeBounded) {
  constexpr unsigned W = GrowthRule::Windows;
  const uint64_t WarmUp = GrowthRule::warmUp(Marks);
  const uint64_t Judged = Marks - WarmUp;

  std::array<uint64_t, W> Survivors{}, OldDeaths{};
  for (const Life *L : Lives) {
    if (L->Birth < WarmUp || L->Birth >= Marks)
      continue;
    auto window = [&](uint64_t Mark) {
      return std::min<uint64_t>(W - 1, (Mark - WarmUp) * W / Judged);
    };
    if (L->aliveAt(Marks - 1))
      ++Survivors[window(L->Birth)];
    else if (L->Death < Marks && L->Death >= L->Birth + 2)
      ++OldDeaths[window(L->Death)];
  }
  auto Early = Survivors.begin() + (W - 2);
  if (std::all_of(Survivors.begin(), Early, [](uint64_t N) { return !N; }))
    return GrowthState::Flat;
  if (!std::all_of(Survivors.begin(), Early, [](uint64_t N) { return N; }))
    return GrowthState::Settled;

  Census Sizes(Lives, Marks);
  auto atWindowEnd = [&](unsigned J) {
    return Sizes.Count[WarmUp + Judged * J / W - 1];
  };
  for (unsigned J = 0; J + 1 < W; ++J)
    if (atWindowEnd(J + 1) <= atWindowEnd(J))
      return GrowthState::Settled;

  if (MayBeBounded) {
    // A pop or clear that has worked all along and yet lets it grow is no
    // bound; one that has not been seen to work may still come.
    auto Worked = std::count_if(OldDeaths.begin(), OldDeaths.end(),
                                [](uint64_t N) { return N; });
    if (Worked < W - 2)
      return GrowthState::BoundOpen;
  }
  return Marks < GrowthRule::ShortRun ? GrowthState::GrewInAll
                                      : GrowthState::Grows;
}

PerMark survivors(const LifeList &Lives, uint64_t Marks) {
  PerMark Result;
  const uint64_t WarmUp = GrowthRule::warmUp(Marks);
  if (Marks < WarmUp + 3)
    return Result;
  for (const Life *L : Lives)
    if (L->Birth >= WarmUp && L->Birth < Marks - 2 && L->aliveAt(Marks - 1)) {
      Result.Bytes += static_cast<double>(L->Bytes);
      Result.Count += 1;
    }
  const auto Span = static_cast<double>(Marks - 2 - WarmUp);
  Result.Bytes /= Span;
  Result.Count /= Span;
  return Result;
}

} // namespace

PerMark confirm::survivorsPerMark(const std::vector<Life> &Lives,
                                  uint64_t Marks) {
  LifeList List;
  for (const Life &L : Lives)
    List.push_back(&L);
  return survivors(List, Marks);
}

Growth confirm::judgeGrowth(const std::vector<Life> &Lives, uint64_t Marks,
                            bool MayBeBounded) {
  Growth Result;
  Result.Marks = Marks;
  if (Lives.empty())
    return Result;
  if (Marks < GrowthRule::FewestMarks) {
    Result.State = GrowthState::TooFew;
    return Result;
  }

  std::map<uint32_t, LifeList> ByStack;
  for (const Life &L : Lives)
    ByStack[L.Stack].push_back(&L);
  for (const auto &[Stack, List] : ByStack) {
    GrowthState State = judgeStack(List, Marks, MayBeBounded);
    if (State < Result.State)
      continue;
    if (State > Result.State) {
      Result.State = State;
      Result.Stacks.clear();
      Result.BytesPerMark = Result.CountPerMark = 0;
    }
    Result.Stacks.push_back(Stack);
    PerMark Rate = survivors(List, Marks);
    Result.BytesPerMark += Rate.Bytes;
    Result.CountPerMark += Rate.Count;
  }
  return Result;
}

LoopHold confirm::findLoopHold(const std::vector<Life> &Lives,
                               const std::vector<uint64_t> &Ticks) {
  std::vector<std::pair<uint64_t, int>> Changes;
  for (const Life &L : Lives) {
    Changes.emplace_back(L.Birth, 1);
    if (L.Death != Never)
      Changes.emplace_back(L.Death, -1);
  }
  std::sort(Changes.begin(), Changes.end());

  LoopHold Result;
  uint64_t Rounds = 0, Rises = 0;
  int64_t Alive = 0, Before = 0;
  auto close = [&] {
    if (Rounds >= GrowthRule::Windows && Rises * 10 >= Rounds * 9) {
      ++Result.Loops;
      Result.Rounds = std::max(Result.Rounds, Rounds);
      Result.Ticks += Rounds;
    }
    Rounds = Rises = 0;
    Before = 0;
  };
  size_t Next = 0;
  for (auto [Time, Change] : Changes) {
    for (; Next < Ticks.size() && Ticks[Next] < Time; ++Next) {
      if (!Alive)
        continue;
      ++Rounds;
      Rises += Alive > Before;
      Before = Alive;
    }
    Alive += Change;
    if (!Alive)
      close();
  }
  for (; Next < Ticks.size() && Alive; ++Next) {
    ++Rounds;
    Rises += Alive > Before;
    Before = Alive;
  }
  close();
  return Result;
}

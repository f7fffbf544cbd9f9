//===- Attribution.cpp - What of a run belongs to a finding ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Attribution.h"
#include <algorithm>
#include <numeric>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;

Attribution confirm::attribute(Evidence &Run, const Finding &F) {
  enum Place : char { Unknown, Elsewhere, InRange, AtProducer };
  std::unordered_map<uint32_t, Place> Known;
  const std::vector<SourceSpan> Range{F.Range.valid() ? F.Range : F.Where};
  auto place = [&](uint32_t Stack) {
    Place &P = Known[Stack];
    if (P == Unknown)
      P = Run.passes(Stack, Range)         ? InRange
          : Run.passes(Stack, F.Producers) ? AtProducer
                                           : Elsewhere;
    return P;
  };
  Attribution A;
  for (uint32_t I = 0; I < Run.nodes().size(); ++I)
    switch (place(Run.nodes()[I].Stack)) {
    case InRange:
      A.Own.Nodes.push_back(I);
      break;
    case AtProducer:
      A.Source.Nodes.push_back(I);
      break;
    default:
      break;
    }
  for (uint32_t I = 0; I < Run.blocks().size(); ++I)
    switch (place(Run.blocks()[I].Stack)) {
    case InRange:
      A.Own.Blocks.push_back(I);
      break;
    case AtProducer:
      A.Source.Blocks.push_back(I);
      break;
    default:
      break;
    }
  return A;
}

Clock confirm::executionsOf(const Evidence &Run, const Parts &P) {
  std::map<std::pair<bool, uint32_t>, std::vector<uint64_t>> Births;
  uint64_t First = Never, Last = 0;
  auto add = [&](bool IsNode, uint32_t Stack, uint64_t Born) {
    Births[{IsNode, Stack}].push_back(Born);
    First = std::min(First, Born);
    Last = std::max(Last, Born);
  };
  for (uint32_t I : P.Nodes)
    add(true, Run.nodes()[I].Stack, Run.nodes()[I].Born);
  for (uint32_t I : P.Blocks)
    add(false, Run.blocks()[I].Stack, Run.blocks()[I].Born);

  const std::vector<uint64_t> *Best = nullptr;
  bool BestSpans = false;
  for (const auto &[Stack, Times] : Births) {
    uint64_t Quarter = (Last - First) / 4;
    bool Spans =
        Times.front() <= First + Quarter && Times.back() >= Last - Quarter;
    if (!Best || (Spans && !BestSpans) ||
        (Spans == BestSpans && Times.size() < Best->size())) {
      Best = &Times;
      BestSpans = Spans;
    }
  }
  Clock Result{"executions", {}};
  if (Best)
    Result.Ticks = *Best;
  return Result;
}

uint64_t confirm::callsOf(const Evidence &Run, const Parts &Own) {
  struct Moment {
    uint64_t Born;
    uint16_t Thread;
    bool IsOwn;
  };
  std::vector<Moment> Moments;
  for (const Block &B : Run.blocks())
    Moments.push_back({B.Born, B.Thread, false});
  const size_t FirstNode = Moments.size();
  for (const Node &N : Run.nodes())
    Moments.push_back({N.Born, N.Thread, false});
  std::map<uint32_t, uint64_t> BlockCounts, NodeCounts;
  for (uint32_t I : Own.Blocks) {
    Moments[I].IsOwn = true;
    ++BlockCounts[Run.blocks()[I].Stack];
  }
  for (uint32_t I : Own.Nodes) {
    Moments[FirstNode + I].IsOwn = true;
    ++NodeCounts[Run.nodes()[I].Stack];
  }
  std::sort(Moments.begin(), Moments.end(),
            [](const Moment &A, const Moment &B) { return A.Born < B.Born; });
  uint64_t Cuts = 0, Divisor = 0;
  std::map<uint16_t, bool> Inside;
  for (const Moment &M : Moments) {
    bool &Was = Inside[M.Thread];
    Cuts += M.IsOwn && !Was;
    Was = M.IsOwn;
  }
  for (const auto &[Stack, Count] :
       NodeCounts.empty() ? BlockCounts : NodeCounts)
    Divisor = std::gcd(Divisor, Count);
  return std::max(Cuts, Divisor);
}

Clock confirm::chooseClock(const Evidence &Run, const Parts &P,
                           std::optional<Clock> &Second) {
  Clock Executions = executionsOf(Run, P);
  bool CanCount = Executions.Ticks.size() >= GrowthRule::FewestMarks;
  Second.reset();
  for (const Clock &Marks : Run.marks()) {
    if (Marks.Ticks.size() < GrowthRule::FewestMarks)
      continue;
    std::set<uint64_t> Iterations;
    auto seen = [&](uint64_t Born) {
      uint64_t Tick = Marks.at(Born);
      if (Tick < Marks.Ticks.size() && Iterations.size() < 64)
        Iterations.insert(Tick);
    };
    for (uint32_t I : P.Nodes)
      seen(Run.nodes()[I].Born);
    for (uint32_t I : P.Blocks)
      seen(Run.blocks()[I].Born);
    if (Iterations.size() < GrowthRule::Windows)
      continue;
    // Less than two per window: some window may be empty by chance.
    if (Iterations.size() < 2 * GrowthRule::Windows && CanCount)
      Second = Executions;
    return Marks;
  }
  if (CanCount || Run.marks().empty())
    return Executions;
  return Run.marks().front();
}

std::vector<Life> confirm::nodeLives(const Evidence &Run, const Parts &P,
                                     const Clock &By) {
  std::vector<Life> Lives;
  for (uint32_t I : P.Nodes)
    Lives.push_back(Run.life(Run.nodes()[I], By));
  return Lives;
}

std::vector<Life> confirm::blockLives(const Evidence &Run, const Parts &P,
                                      const Clock &By) {
  std::vector<Life> Lives;
  for (uint32_t I : P.Blocks)
    Lives.push_back(Run.life(Run.blocks()[I], By));
  return Lives;
}

Parts confirm::joined(Parts A, const Parts &B) {
  A.Nodes.insert(A.Nodes.end(), B.Nodes.begin(), B.Nodes.end());
  A.Blocks.insert(A.Blocks.end(), B.Blocks.begin(), B.Blocks.end());
  return A;
}

namespace {

/// The rest of the graphs of \p Seeds, alive at the end.
std::vector<uint32_t> historyOf(const Evidence &Run,
                                const std::vector<uint32_t> &Seeds,
                                const Clock &By) {
  auto gone = [&](const Node &N) {
    return N.Died != Never && By.at(N.Died) < By.Ticks.size();
  };
  std::set<uint32_t> Backwards, Known(Seeds.begin(), Seeds.end());
  std::map<std::pair<uint16_t, uint64_t>, uint64_t> LastSeed; // thread, tick
  for (uint32_t I : Seeds) {
    const Node &N = Run.nodes()[I];
    if (gone(N))
      continue;
    if (N.Backward != trace::NoLink)
      Backwards.insert(N.Backward);
    uint64_t &Last = LastSeed[{N.Thread, By.at(N.Born)}];
    Last = std::max(Last, N.Born);
  }
  std::vector<uint32_t> History;
  for (uint32_t I = 0; I < Run.nodes().size(); ++I) {
    const Node &N = Run.nodes()[I];
    if (gone(N) || Known.count(I))
      continue;
    bool Same = false;
    if (!Backwards.empty()) {
      Same = N.Backward != trace::NoLink && Backwards.count(N.Backward);
    } else if (!N.Evaluated) {
      auto It = LastSeed.find({N.Thread, By.at(N.Born)});
      Same = It != LastSeed.end() && N.Born < It->second;
    }
    if (Same)
      History.push_back(I);
  }
  return History;
}

void addPinned(const Evidence &Run, Parts &P) {
  std::set<uint32_t> Blocks(P.Blocks.begin(), P.Blocks.end());
  for (uint32_t I : P.Nodes) {
    const Node &N = Run.nodes()[I];
    if (N.Released)
      continue;
    for (uint32_t B : N.Saved)
      if (Run.blocks()[B].Died >= N.Died)
        Blocks.insert(B);
  }
  P.Blocks.assign(Blocks.begin(), Blocks.end());
}

} // namespace

void confirm::addHistory(Evidence &Run, Parts &P, const Clock &By) {
  std::vector<uint32_t> History = historyOf(Run, P.Nodes, By);
  // A node's value is a block of the same line; the loss itself is one.
  using Place = std::pair<std::string, unsigned>;
  std::set<Place> Places;
  for (uint32_t I : History)
    if (const Frame *F = Run.userPlace(Run.nodes()[I].Stack))
      Places.emplace(F->File, F->Line);
  std::unordered_map<uint32_t, bool> Known;
  for (uint32_t I = 0; !Places.empty() && I < Run.blocks().size(); ++I) {
    uint32_t Stack = Run.blocks()[I].Stack;
    auto [It, New] = Known.try_emplace(Stack, false);
    if (const Frame *F = New ? Run.userPlace(Stack) : nullptr)
      It->second = Places.count({F->File, F->Line});
    if (It->second)
      P.Blocks.push_back(I);
  }
  P.Nodes.insert(P.Nodes.end(), History.begin(), History.end());
  addPinned(Run, P);
}

uint64_t confirm::peakBytes(const Evidence &Run, const Parts &P) {
  std::vector<std::pair<uint64_t, int64_t>> Changes;
  for (uint32_t I : P.Blocks) {
    const Block &B = Run.blocks()[I];
    Changes.emplace_back(B.Born, static_cast<int64_t>(B.Bytes));
    if (B.Died != Never)
      Changes.emplace_back(B.Died, -static_cast<int64_t>(B.Bytes));
  }
  std::sort(Changes.begin(), Changes.end());
  int64_t Now = 0, Peak = 0;
  for (auto [Time, Change] : Changes)
    Peak = std::max(Peak, Now += Change);
  return static_cast<uint64_t>(Peak);
}

uint64_t confirm::peakPinned(const Evidence &Run,
                             const std::vector<uint32_t> &Nodes,
                             const std::vector<uint64_t> *Ends) {
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> Pinned; // block: from, to
  for (size_t I = 0; I < Nodes.size(); ++I) {
    const Node &N = Run.nodes()[Nodes[I]];
    const uint64_t End = Ends ? (*Ends)[I] : N.Died;
    for (uint32_t B : N.Saved) {
      const Block &Saved = Run.blocks()[B];
      auto [It, New] = Pinned.try_emplace(B, N.Born, End);
      if (!New) {
        It->second.first = std::min(It->second.first, N.Born);
        It->second.second = std::max(It->second.second, End);
      }
      It->second.second = std::min(It->second.second, Saved.Died);
    }
  }
  // Weights are saved too, but they are there anyway: only what was made while
  // the calls went on counts.
  uint64_t FirstNode = Never;
  for (uint32_t I : Nodes)
    FirstNode = std::min(FirstNode, Run.nodes()[I].Born);
  std::multimap<uint64_t, int64_t> Changes;
  for (const auto &[B, Time] : Pinned) {
    const Block &Saved = Run.blocks()[B];
    if (Saved.Born < FirstNode && Saved.Died > Time.second)
      continue;
    Changes.emplace(Time.first, static_cast<int64_t>(Saved.Bytes));
    if (Time.second != Never)
      Changes.emplace(Time.second, -static_cast<int64_t>(Saved.Bytes));
  }
  int64_t Now = 0, Peak = 0;
  for (auto [Time, Change] : Changes)
    Peak = std::max(Peak, Now += Change);
  return static_cast<uint64_t>(Peak);
}

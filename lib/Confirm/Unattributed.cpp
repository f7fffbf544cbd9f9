//===- Unattributed.cpp - Growth that no finding explains -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Unattributed.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

std::optional<Clock> runClock(const Evidence &Run) {
  for (const Clock &C : Run.marks())
    if (C.Ticks.size() >= GrowthRule::ShortRun)
      return C;
  // No marks, as in pure inference: any call that spans the run will do.
  Parts All;
  for (uint32_t I = 0; I < Run.nodes().size(); ++I)
    All.Nodes.push_back(I);
  if (All.Nodes.empty())
    for (uint32_t I = 0; I < Run.blocks().size(); ++I)
      All.Blocks.push_back(I);
  Clock C = executionsOf(Run, All);
  if (C.Ticks.size() < GrowthRule::ShortRun)
    return std::nullopt;
  return C;
}

struct Rate {
  double Bytes = 0, Nodes = 0;
};

/// Growing stacks with what they leave per tick.
std::map<uint32_t, Rate> growingStacks(const Evidence &Run, const Clock &By) {
  std::map<uint32_t, Rate> Result;
  auto judge = [&](const std::vector<Life> &Lives, auto Add) {
    Growth G = judgeGrowth(Lives, By.Ticks.size(), false);
    if (G.State != GrowthState::Grows)
      return;
    std::map<uint32_t, std::vector<Life>> ByStack;
    for (uint32_t Stack : G.Stacks)
      ByStack[Stack];
    for (const Life &L : Lives)
      if (auto It = ByStack.find(L.Stack); It != ByStack.end())
        It->second.push_back(L);
    for (const auto &[Stack, List] : ByStack)
      Add(Result[Stack], survivorsPerMark(List, By.Ticks.size()));
  };
  std::vector<Life> Blocks, Nodes;
  for (const Block &B : Run.blocks())
    Blocks.push_back(Run.life(B, By));
  for (const Node &N : Run.nodes())
    Nodes.push_back(Run.life(N, By));
  judge(Blocks, [](Rate &R, PerMark P) { R.Bytes = P.Bytes; });
  judge(Nodes, [](Rate &R, PerMark P) { R.Nodes = P.Count; });
  return Result;
}

Unattributed placeOf(Evidence &Run, uint32_t Stack) {
  Unattributed U;
  for (const Frame *F : Run.places(Stack))
    U.Stack.push_back(*F);
  if (const Frame *F = Run.userPlace(Stack)) {
    U.File = F->File;
    U.Line = F->Line;
    U.Function = F->Function;
    return U;
  }
  // Outermost module that is known: at least whose program it was.
  const trace::Trace &T = Run.trace();
  for (uint64_t Address : T.stack(Stack))
    if (const trace::Module *M =
            T.moduleAt(Address, static_cast<uint32_t>(T.Events.size())))
      U.File = M->Path;
  return U;
}

std::string bytesText(double Bytes) {
  char Text[32];
  std::snprintf(Text, sizeof Text, "%.0f", Bytes);
  return Text;
}

} // namespace

void confirm::addExplained(Evidence &Run, const Attribution &A,
                           std::set<uint32_t> &Explained) {
  Parts All = joined(A.Own, A.Source);
  std::optional<Clock> Second;
  addHistory(Run, All, chooseClock(Run, All, Second));
  for (uint32_t I : All.Nodes)
    Explained.insert(Run.nodes()[I].Stack);
  for (uint32_t I : All.Blocks)
    Explained.insert(Run.blocks()[I].Stack);
}

UnattributedGrowth
confirm::findUnattributed(Evidence &Run, const std::set<uint32_t> &Explained) {
  UnattributedGrowth Result;
  std::optional<Clock> By = runClock(Run);
  if (!By)
    return Result;
  std::map<uint32_t, Rate> Growing = growingStacks(Run, *By);
  std::optional<double> Heap = Run.heapPerTick(*By);
  if (Growing.empty() && Heap && *Heap >= 256)
    Result.Remark = "the C heap grows by " + bytesText(*Heap) +
                    " bytes per iteration although no tensor and no graph node "
                    "does: that is not tensor memory";

  std::map<std::tuple<std::string, unsigned, std::string>, Unattributed> Places;
  double NodesAlone = 0;
  for (const auto &[Stack, R] : Growing) {
    if (Explained.count(Stack))
      continue;
    Unattributed U = placeOf(Run, Stack);
    Unattributed &Sum =
        Places.try_emplace({U.File, U.Line, U.Function}, U).first->second;
    Sum.BytesPerIteration += R.Bytes;
    Sum.NodesPerIteration += R.Nodes;
  }
  for (const auto &[Key, U] : Places)
    if (U.BytesPerIteration < 1)
      NodesAlone += U.NodesPerIteration;
  for (auto &[Key, U] : Places) {
    // Nodes lie in the C heap: their part of its growth is what they cost.
    if (U.BytesPerIteration < 1 && Heap && *Heap > 0 && NodesAlone > 0)
      U.BytesPerIteration =
          std::round(*Heap * U.NodesPerIteration / NodesAlone);
    Result.Places.push_back(std::move(U));
  }
  std::sort(Result.Places.begin(), Result.Places.end(),
            [](const Unattributed &A, const Unattributed &B) {
              if (A.BytesPerIteration != B.BytesPerIteration)
                return A.BytesPerIteration > B.BytesPerIteration;
              return std::tie(A.File, A.Line, A.Function) <
                     std::tie(B.File, B.Line, B.Function);
            });
  return Result;
}

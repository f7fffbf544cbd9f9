//===- MissingNoGradProof.cpp - Was the graph of a forward ever used? -----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/MissingNoGradProof.h"
#include <algorithm>
#include <map>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

/// Most bytes that nodes of the forward pinned at one time. Without a second
/// run under a guard this is an upper bound: other tensors may share them.
uint64_t peakPinned(const Evidence &Run, const std::vector<uint32_t> &Nodes) {
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> Pinned; // block: from, to
  for (uint32_t I : Nodes) {
    const Node &N = Run.nodes()[I];
    for (uint32_t B : N.Saved) {
      const Block &Saved = Run.blocks()[B];
      auto [It, New] = Pinned.try_emplace(B, N.Born, N.Died);
      if (!New) {
        It->second.first = std::min(It->second.first, N.Born);
        It->second.second = std::max(It->second.second, N.Died);
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

} // namespace

Verdict confirm::proveMissingNoGrad(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.Run.hookMissing("node-made"))
    return undecided(C.DidRun,
                     "this LibTorch hides graph nodes from the recorder");
  const Parts &Forward = C.Made.Own;
  if (Forward.empty())
    return nothingSeen(C);

  Verdict V;
  V.DidRun = C.DidRun;
  V.Evidence.emplace_back("iteration", "calls");
  if (Forward.Nodes.empty()) {
    V.Iterations = callsOf(C.Run, Forward);
    bool GradOn =
        std::any_of(Forward.Blocks.begin(), Forward.Blocks.end(),
                    [&](uint32_t I) { return C.Run.blocks()[I].GradOn; });
    V.State = VerdictState::Contradicted;
    V.NodesPerIteration = 0;
    V.Reason = GradOn ? "no graph was built: nothing here requires a gradient"
                      : "no graph was built: grad mode was off when it ran";
    return V;
  }

  const uint64_t Calls = callsOf(C.Run, Forward);
  V.Iterations = Calls;
  std::set<uint32_t> Backwards;
  uint64_t Used = 0;
  for (uint32_t I : Forward.Nodes)
    if (C.Run.nodes()[I].Evaluated) {
      ++Used;
      Backwards.insert(C.Run.nodes()[I].Backward);
    }
  V.NodesPerIteration =
      static_cast<double>(Forward.Nodes.size()) / static_cast<double>(Calls);
  V.Evidence.emplace_back("nodes_made", std::to_string(Forward.Nodes.size()));
  V.Evidence.emplace_back("nodes_evaluated", std::to_string(Used));
  if (Used) {
    V.State = VerdictState::Contradicted;
    V.Reason =
        "its graph is used: " + counted(Backwards.size(), "backward calls") +
        " went through nodes made here";
    return V;
  }
  if (Calls < 3) {
    V.State = VerdictState::Undecided;
    V.Reason = "its graph was never used, but it ran in " +
               counted(Calls, "calls") + " only (three are enough)";
    return V;
  }
  V.PeakBytes = peakPinned(C.Run, Forward.Nodes);
  V.State = VerdictState::Confirmed;
  V.Reason = "no backward ever used a graph that was built here; a guard saves "
             "that peak at most";
  return V;
}

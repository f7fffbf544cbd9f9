//===- MissingNoGradProof.cpp - Was the graph of a forward ever used? -----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/MissingNoGradProof.h"
#include <algorithm>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;

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

//===- UndetachedStateProof.cpp - Does backward go back too far? ----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/UndetachedStateProof.h"
#include <algorithm>
#include <map>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

struct Count {
  std::set<uint32_t> Backwards; ///< that evaluated nodes of the state
  std::set<uint32_t> TooFar;    ///< of them, those that went back too far
  uint64_t Again = 0;           ///< nodes that were evaluated once more
  bool Failed = false;          ///< one that went too far met freed tensors
};

/// Two heads on one graph evaluate a node twice as well; only a newer node of
/// the same code in between shows that iterations hang together.
Count countEvaluations(const Case &C) {
  Count Result;
  const trace::Trace &T = C.Run.trace();
  // By node: its stack, and the last backward that evaluated it.
  struct Known {
    uint32_t Stack = 0, Last = trace::NoLink;
    bool Released = false;
  };
  std::map<uint32_t, Known> ByBirth;
  std::map<uint32_t, uint64_t> LastBirth; // by stack
  const Parts Nodes = joined(C.Made.Own, C.Made.Source);
  for (uint32_t I : Nodes.Nodes)
    ByBirth[static_cast<uint32_t>(C.Run.nodes()[I].Born)].Stack =
        C.Run.nodes()[I].Stack;
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const trace::Event &E = T.Events[I];
    if (E.Kind == EventKind::NodeMade && ByBirth.count(I))
      LastBirth[E.Stack] = I;
    if (E.Kind != EventKind::NodeEvaluated || E.Link == trace::NoLink ||
        E.Value >= T.Events.size())
      continue;
    auto It = ByBirth.find(E.Link);
    if (It == ByBirth.end())
      continue;
    Known &N = It->second;
    const auto Backward = static_cast<uint32_t>(E.Value);
    Result.Backwards.insert(Backward);
    if (N.Last != trace::NoLink && N.Last != Backward &&
        LastBirth[N.Stack] > N.Last) {
      Result.TooFar.insert(Backward);
      ++Result.Again;
      Result.Failed |= N.Released;
    }
    N.Last = Backward;
    N.Released = !E.has(trace::KeepGraph);
  }
  return Result;
}

} // namespace

Verdict confirm::proveUndetachedState(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.Run.hookMissing("node-made") || C.Run.hookMissing("node-evaluated"))
    return undecided(C.DidRun,
                     "this LibTorch hides graph nodes from the recorder");
  if (C.Made.Own.Nodes.empty() && C.Made.Source.Nodes.empty())
    return nothingSeen(C);

  const Count N = countEvaluations(C);
  Verdict V;
  V.DidRun = Ran::Yes;
  V.Iterations = N.Backwards.size();
  V.Evidence.emplace_back("iteration", "backward calls");
  V.Evidence.emplace_back("went_too_far", std::to_string(N.TooFar.size()));
  V.Evidence.emplace_back("nodes_evaluated_again", std::to_string(N.Again));
  if (!N.TooFar.empty()) {
    V.State = VerdictState::Confirmed;
    V.NodesPerIteration =
        static_cast<double>(N.Again) / static_cast<double>(N.TooFar.size());
    V.Reason = N.Failed
                   ? "backward ran into the graph of an earlier iteration, "
                     "which an earlier backward had freed"
                   : counted(N.TooFar.size(), "backward calls") +
                         " went through the graphs of earlier iterations again";
    return V;
  }
  if (N.Backwards.size() < 3) {
    V.State = VerdictState::Undecided;
    V.Reason = N.Backwards.empty()
                   ? "no backward went through what is made here"
                   : "only " + counted(N.Backwards.size(), "backward calls") +
                         " went through what is made here";
    return V;
  }
  V.State = VerdictState::Contradicted;
  V.Reason = "none of " + counted(N.Backwards.size(), "backward calls") +
             " reached the graph of an iteration before";
  return V;
}

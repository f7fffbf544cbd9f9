//===- RetainGraphProof.cpp - Was a kept graph used again? ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/RetainGraphProof.h"
#include "Confirm/Proofs/RetainedGraphProof.h"
#include <map>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

struct Count {
  std::set<uint32_t> Kept; ///< backwards of the line that kept their graph
  std::set<uint32_t> Used; ///< of them, those with nodes evaluated later
  uint64_t Calls = 0;      ///< of the line
  bool Creates = false;
};

Count count(const Case &C) {
  Count N;
  const trace::Trace &T = C.Run.trace();
  const std::vector<SourceSpan> Range{C.What.Range.valid() ? C.What.Range
                                                           : C.What.Where};
  std::map<uint32_t, uint32_t> KeptBy; // node -> the line's backward
  for (uint32_t I = 0; I < T.Events.size(); ++I) {
    const trace::Event &E = T.Events[I];
    if (E.Kind == EventKind::BackwardBegin && C.Run.passes(E.Stack, Range)) {
      ++N.Calls;
      N.Creates |= E.has(trace::CreateGraph);
      if (E.has(trace::KeepGraph) || E.has(trace::CreateGraph))
        N.Kept.insert(I);
    }
    if (E.Kind != EventKind::NodeEvaluated || E.Link == trace::NoLink)
      continue;
    const auto Backward = static_cast<uint32_t>(E.Value);
    auto It = KeptBy.find(E.Link);
    if (It != KeptBy.end() && It->second != Backward)
      N.Used.insert(It->second);
    if (N.Kept.count(Backward))
      KeptBy[E.Link] = Backward;
  }
  return N;
}

} // namespace

Verdict confirm::proveRetainGraph(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.Run.hookMissing("node-evaluated"))
    return undecided(C.DidRun,
                     "this LibTorch hides graph nodes from the recorder");
  const Count N = count(C);
  if (N.Calls == 0)
    return nothingSeen(C);
  if (N.Creates)
    return proveRetainedGraph(C);

  Verdict V;
  V.DidRun = Ran::Yes;
  V.Iterations = N.Calls;
  V.Evidence.emplace_back("iteration", "backward calls");
  V.Evidence.emplace_back("graphs_kept", std::to_string(N.Kept.size()));
  V.Evidence.emplace_back("graphs_used_again", std::to_string(N.Used.size()));
  const std::string Calls = counted(N.Kept.size(), "backward calls");
  if (!N.Used.empty()) {
    V.State = VerdictState::Contradicted;
    V.Reason = "a later backward went through the graphs of " +
               std::to_string(N.Used.size()) + " of " + Calls;
  } else if (N.Kept.empty()) {
    V.State = VerdictState::Contradicted;
    V.Reason = "no graph was kept here";
  } else if (N.Kept.size() < 3) {
    V.State = VerdictState::Undecided;
    V.Reason = "nothing used the graph again, but only " + Calls +
               " kept one (three are enough)";
  } else {
    V.State = VerdictState::Confirmed;
    V.Reason =
        "no later backward went through any graph that " + Calls + " kept";
  }
  return V;
}

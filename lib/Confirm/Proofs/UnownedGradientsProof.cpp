//===- UnownedGradientsProof.cpp - Whose gradients are filled? ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/UnownedGradientsProof.h"
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

struct Count {
  uint64_t Calls = 0;        ///< backward calls of the line
  std::set<uint64_t> Filled; ///< variables that got a gradient
  std::set<uint64_t> Again;  ///< ... by more than one of them
  std::set<uint64_t> Stayed; ///< ... while the one before was still there
  bool Untold = false;       ///< whether it was is not always known
};

Count count(const Case &C) {
  Count N;
  const std::vector<SourceSpan> Range{C.What.Range.valid() ? C.What.Range
                                                           : C.What.Where};
  std::set<uint64_t> Ours;
  const std::vector<trace::Event> &Events = C.Run.trace().Events;
  for (uint64_t I = 0; I < Events.size(); ++I) {
    const trace::Event &E = Events[I];
    if (E.Kind == EventKind::BackwardBegin && C.Run.passes(E.Stack, Range)) {
      ++N.Calls;
      Ours.insert(I);
    }
    if (E.Kind != EventKind::GradAccumulated || !Ours.count(E.Value))
      continue;
    if (!N.Filled.insert(E.Pointer).second) {
      N.Again.insert(E.Pointer);
      N.Untold |= !E.has(trace::KnowsDefined);
      if (E.has(trace::WasDefined))
        N.Stayed.insert(E.Pointer);
    }
  }
  return N;
}

} // namespace

Verdict confirm::proveUnownedGradients(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.Run.hookMissing("grad-accumulated"))
    return undecided(C.DidRun,
                     "this LibTorch hides gradients from the recorder");
  const Count N = count(C);
  if (N.Calls == 0)
    return nothingSeen(C);
  Verdict V;
  V.DidRun = Ran::Yes;
  V.Iterations = N.Calls;
  V.Evidence.emplace_back("iteration", "backward calls");
  V.Evidence.emplace_back("gradients_filled", std::to_string(N.Filled.size()));
  V.Evidence.emplace_back("gradients_that_stayed",
                          std::to_string(N.Stayed.size()));
  if (N.Filled.empty()) {
    V.State = VerdictState::Contradicted;
    V.Reason = counted(N.Calls, "backward calls") + " filled no gradient";
  } else if (N.Calls > 3 && !N.Untold && N.Stayed.empty() &&
             N.Again == N.Filled) {
    V.State = VerdictState::Contradicted;
    V.Reason = "all " + std::to_string(N.Filled.size()) +
               " gradients that are filled here were emptied before each of " +
               counted(N.Calls - 1, "further backward calls");
  } else {
    V.State = VerdictState::Undecided;
    V.Reason = "the gradients of " + counted(N.Filled.size(), "tensors") +
               " are filled here, but which of them an optimizer owns, and how "
               "large they are, is not recorded";
  }
  return V;
}

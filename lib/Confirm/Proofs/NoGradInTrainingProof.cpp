//===- NoGradInTrainingProof.cpp - Training with grad mode off ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/NoGradInTrainingProof.h"
#include <algorithm>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

/// Producers of such a finding: the statement of the backward, then what its
/// loss is made by.
struct Rounds {
  uint64_t Backwards = 0;      ///< that began
  uint64_t Off = 0;            ///< tensors of the loss made with grad mode off
  uint64_t OffAfterwards = 0;  ///< of these, after the last backward
  uint64_t OffInStatement = 0; ///< of these, by the backward's statement
};

Rounds count(const Case &C) {
  Rounds R;
  const std::vector<SourceSpan> Backward{C.What.Producers.front()};
  const auto &Events = C.Run.trace().Events;
  std::vector<std::pair<uint64_t, uint64_t>> Running; // begin, end
  for (uint64_t I = 0; I < Events.size(); ++I) {
    if (Events[I].Kind == trace::EventKind::BackwardBegin &&
        C.Run.passes(Events[I].Stack, Backward))
      Running.emplace_back(I, Never);
    if (Events[I].Kind == trace::EventKind::BackwardEnd && !Running.empty() &&
        Running.back().second == Never)
      Running.back().second = I;
  }
  R.Backwards = Running.size();
  for (const Parts *P : {&C.Made.Own, &C.Made.Source})
    for (uint32_t I : P->Blocks) {
      const Block &B = C.Run.blocks()[I];
      if (B.GradOn || !C.Run.passes(B.Stack, C.What.Producers))
        continue;
      // What a backward makes is made without history anyhow.
      auto Next = std::upper_bound(Running.begin(), Running.end(),
                                   std::make_pair(B.Born, Never));
      if (Next != Running.begin() && B.Born < std::prev(Next)->second)
        continue;
      ++R.Off;
      if (Next == Running.end()) {
        ++R.OffAfterwards;
        R.OffInStatement += C.Run.passes(B.Stack, Backward);
      }
    }
  return R;
}

} // namespace

Verdict confirm::proveNoGradInTraining(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.What.Producers.empty())
    return undecided(C.DidRun, "which training the other ways out lead to is "
                               "not known");
  const Rounds R = count(C);
  Verdict V;
  V.DidRun = C.DidRun;
  V.Iterations = R.Backwards;
  V.Evidence.emplace_back("iteration", "backward calls");
  V.Evidence.emplace_back("backward_calls", std::to_string(R.Backwards));
  V.Evidence.emplace_back("tensors_with_grad_mode_off", std::to_string(R.Off));
  // Either its own statement made the loss, or the program ended there.
  const bool Called = R.OffInStatement || !C.Run.trace().Complete ||
                      C.Run.trace().ExitStatus > 0;
  if (R.OffAfterwards && Called) {
    V.State = VerdictState::Confirmed;
    V.Reason = R.Backwards
                   ? "after " + counted(R.Backwards, "backward calls") +
                         " the loss was made with grad mode off, and the next "
                         "one never began"
                   : "the loss was made with grad mode off, and its backward "
                     "never began";
    return V;
  }
  if (R.OffAfterwards) {
    V.State = VerdictState::Undecided;
    V.Reason = "the loss was made with grad mode off and no backward followed, "
               "but whether one was called is not recorded";
    return V;
  }
  if (!R.Backwards)
    return nothingSeen(C);
  V.State = VerdictState::Contradicted;
  V.Reason = counted(R.Backwards, "backward calls") +
             " found history here, the last one too";
  return V;
}

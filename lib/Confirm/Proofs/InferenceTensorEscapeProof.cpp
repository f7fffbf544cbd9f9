//===- InferenceTensorEscapeProof.cpp - Was it given to autograd? ---------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/InferenceTensorEscapeProof.h"
#include <map>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

struct Count {
  uint64_t Made = 0;  ///< tensors, by the producer
  uint64_t Under = 0; ///< of these, with inference mode on
  uint64_t Saves = 0; ///< attempts to save one of those
  uint64_t Built = 0; ///< nodes made by the statement that saved something
};

Count count(const Case &C) {
  Count N;
  std::map<uint16_t, bool> Inference; // thread -> is the mode on?
  std::map<uint64_t, bool> Live;      // the producer's blocks: made under it?
  for (const trace::Event &E : C.Run.trace().Events) {
    switch (E.Kind) {
    case EventKind::GradMode:
      Inference[E.Thread] = E.has(trace::InferenceOn);
      break;
    case EventKind::Alloc:
      if (C.Run.passes(E.Stack, C.What.Producers)) {
        const bool On = Inference[E.Thread];
        Live[E.Pointer] = On;
        ++N.Made;
        N.Under += On;
      }
      break;
    case EventKind::Free:
      Live.erase(E.Pointer);
      break;
    case EventKind::Saved:
      if (auto It = Live.find(E.Pointer); It != Live.end())
        N.Saves += It->second;
      break;
    default:
      break;
    }
  }
  for (uint32_t I : C.Made.Own.Nodes)
    N.Built += !C.Run.nodes()[I].Saved.empty();
  return N;
}

} // namespace

Verdict confirm::proveInferenceTensorEscape(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.What.Producers.empty())
    return undecided(C.DidRun, "where the tensor is made is not known");
  if (C.Run.hookMissing("saved"))
    return undecided(C.DidRun, "this LibTorch hides from the recorder what "
                               "autograd saves");
  const Count N = count(C);
  Verdict V;
  V.DidRun = C.DidRun;
  V.Evidence.emplace_back("tensors_made", std::to_string(N.Made));
  V.Evidence.emplace_back("made_under_inference_mode", std::to_string(N.Under));
  V.Evidence.emplace_back("attempts_to_save", std::to_string(N.Saves));
  if (N.Saves) {
    V.State = VerdictState::Confirmed;
    V.Reason = "autograd was to save a tensor that was made under inference "
               "mode, which throws (" +
               counted(N.Saves, "times") + ")";
    return V;
  }
  if (C.DidRun != Ran::Yes || !N.Made)
    return nothingSeen(C);
  if (!N.Under) {
    V.State = VerdictState::Contradicted;
    V.Reason = "inference mode was off when the tensor was made (" +
               counted(N.Made, "times") + ")";
    return V;
  }
  if (N.Built) {
    V.State = VerdictState::Contradicted;
    V.Reason = "the graph was built here without saving a tensor that was made "
               "under inference mode";
    return V;
  }
  return undecided(C.DidRun, "it ran, and nothing was saved for backward; that "
                             "a change in place throws leaves no trace");
}

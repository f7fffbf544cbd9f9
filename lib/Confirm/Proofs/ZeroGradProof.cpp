//===- ZeroGradProof.cpp - Are gradients zeroed once per step? ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/ZeroGradProof.h"
#include <map>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

/// What was seen of a finding's step or zero_grad.
struct Count {
  uint64_t Steps = 0;  ///< of the line, with a step of it before
  uint64_t Reused = 0; ///< whose gradients were added to used ones
  uint64_t Zeroed = 0; ///< in front of which zero_grad ran
  uint64_t Untold = 0; ///< whether gradients were there was not recorded
  bool StepSeen = false, ZeroSeen = false;
  uint64_t Windows = 0; ///< steps behind a zero_grad of the line
  uint64_t Wiped = 0;   ///< of them, those with a backward before it
  uint64_t Lost = 0;    ///< backward calls that were wiped
};

class Counter {
public:
  explicit Counter(const Case &C)
      : C(C), Range{C.What.Range.valid() ? C.What.Range : C.What.Where} {}

  Count count() {
    const trace::Trace &T = C.Run.trace();
    for (const trace::Event &E : T.Events) {
      switch (E.Kind) {
      case EventKind::GradAccumulated:
        added(E);
        break;
      case EventKind::ZeroGrad:
        zeroed(E);
        break;
      case EventKind::StepBegin:
        stepped(E);
        break;
      case EventKind::BackwardEnd:
        ++Backwards;
        break;
      default:
        break;
      }
    }
    return Result;
  }

private:
  void added(const trace::Event &E) {
    if (!E.has(trace::KnowsDefined))
      Untold = true;
    else if (E.has(trace::WasDefined))
      OntoOld.insert(E.Pointer);
    Touched.insert(E.Pointer);
  }

  void zeroed(const trace::Event &E) {
    // By another optimizer: other gradients.
    if (E.has(trace::OfModule) || Stepping == 0 || E.Pointer == Stepping)
      ZeroBetween = true;
    if (!C.Run.passes(E.Stack, Range))
      return;
    Result.ZeroSeen = ZeroOfLine = true;
    LostInWindow += Backwards;
    Backwards = 0;
  }

  void stepped(const trace::Event &E) {
    if (ZeroOfLine) {
      ++Result.Windows;
      Result.Wiped += LostInWindow > 0;
      Result.Lost += LostInWindow;
    }
    ZeroOfLine = false;
    Backwards = LostInWindow = 0;
    if (!C.Run.passes(E.Stack, Range))
      return;
    Result.StepSeen = true;
    if (Stepping != 0 && Stepping == E.Pointer) {
      ++Result.Steps;
      bool Again = false;
      for (uint64_t Variable : OntoOld)
        Again |= Used.count(Variable) != 0;
      Result.Zeroed += ZeroBetween;
      Result.Reused += !ZeroBetween && Again;
      Result.Untold += !ZeroBetween && !Again && Untold;
    }
    Stepping = E.Pointer;
    Used = std::move(Touched);
    Touched.clear();
    OntoOld.clear();
    ZeroBetween = Untold = false;
  }

  const Case &C;
  const std::vector<SourceSpan> Range;
  Count Result;
  uint64_t Stepping = 0; ///< the optimizer of the line's last step
  std::set<uint64_t> Used, Touched, OntoOld; ///< variables
  bool ZeroBetween = false, Untold = false, ZeroOfLine = false;
  uint64_t Backwards = 0, LostInWindow = 0;
};

Verdict missing(const Count &N, Verdict V) {
  const std::string Steps = counted(N.Steps, "steps");
  V.Iterations = N.Steps;
  V.Evidence.emplace_back("iteration", "steps");
  V.Evidence.emplace_back("steps_on_used_gradients", std::to_string(N.Reused));
  if (N.Steps < 3) {
    V.State = VerdictState::Undecided;
    V.Reason = "only " + Steps + " followed another one: too few";
  } else if (N.Reused * 2 > N.Steps) {
    V.State = VerdictState::Confirmed;
    V.Reason = "in " + std::to_string(N.Reused) + " of " + Steps +
               " backward added to gradients that the step before had used, "
               "and no zero_grad ran in between";
  } else if (N.Reused == 0 && N.Untold == 0) {
    V.State = VerdictState::Contradicted;
    V.Reason = N.Zeroed ? "zero_grad ran in front of " +
                              std::to_string(N.Zeroed) + " of " + Steps
                        : "no backward added to gradients that the step before "
                          "had used";
  } else {
    V.State = VerdictState::Undecided;
    V.Reason = N.Reused
                   ? "gradients were used again in " +
                         std::to_string(N.Reused) + " of " + Steps + " only"
                   : "whether gradients were there before backward was "
                     "not recorded";
  }
  return V;
}

Verdict wiping(const Count &N, Verdict V) {
  const std::string Steps = counted(N.Windows, "steps");
  V.Iterations = N.Windows;
  V.Evidence.emplace_back("iteration", "steps");
  V.Evidence.emplace_back("backwards_wiped", std::to_string(N.Lost));
  if (N.Windows < 3) {
    V.State = VerdictState::Undecided;
    V.Reason = "only " + Steps + " followed this zero_grad: too few";
  } else if (N.Wiped * 2 > N.Windows) {
    V.State = VerdictState::Confirmed;
    V.Reason = "it wiped " + counted(N.Lost, "backward calls") +
               " that no step had used, in front of " +
               std::to_string(N.Wiped) + " of " + Steps;
  } else if (N.Wiped == 0) {
    V.State = VerdictState::Contradicted;
    V.Reason = "no backward ran between a step and it";
  } else {
    V.State = VerdictState::Undecided;
    V.Reason = "it wiped gradients in front of " + std::to_string(N.Wiped) +
               " of " + Steps + " only";
  }
  return V;
}

} // namespace

Verdict confirm::proveZeroGrad(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  const Count N = Counter(C).count();
  Verdict V;
  V.DidRun = Ran::Yes;
  if (N.ZeroSeen)
    return wiping(N, std::move(V));
  if (N.StepSeen)
    return missing(N, std::move(V));
  return nothingSeen(C);
}

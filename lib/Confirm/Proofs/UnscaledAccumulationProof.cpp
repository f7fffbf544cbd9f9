//===- UnscaledAccumulationProof.cpp - Do micro-batches add up? -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/UnscaledAccumulationProof.h"
#include <algorithm>
#include <map>
#include <set>

using namespace torchtidy;
using namespace torchtidy::confirm;
using trace::EventKind;

namespace {

enum class Scaling { None, Divided, Maybe };

bool contains(const std::string &Text, const char *Part) {
  return Text.find(Part) != std::string::npos;
}

/// Operators whose result is a mean (or may be, by their default reduction).
bool isMeanLoss(const std::string &Type) {
  for (const char *Part :
       {"MseLoss", "L1Loss", "NllLoss", "Mean", "BinaryCrossEntropy",
        "HuberLoss", "SoftMarginLoss", "MultiMarginLoss", "MarginLoss"})
    if (contains(Type, Part))
      return true;
  return false;
}

/// How the loss was made, from the order in which the engine went through its
/// graph: a division in front of a mean loss is a scaling; in front of a sum it
/// is the mean itself; a factor may be a weight.
Scaling scalingOf(const trace::Trace &T, uint32_t Backward) {
  std::vector<std::string> Types;
  const uint32_t End =
      std::min<uint64_t>(T.Events[Backward].Link, T.Events.size());
  for (uint32_t I = Backward + 1; I < End && Types.size() < 2; ++I) {
    const trace::Event &E = T.Events[I];
    if (E.Kind == EventKind::NodeEvaluated && E.Value == Backward &&
        E.Link != trace::NoLink)
      Types.push_back(T.Types[T.Events[E.Link].Value]);
  }
  if (Types.empty())
    return Scaling::None;
  bool Divided = contains(Types[0], "DivBackward");
  bool Multiplied = contains(Types[0], "MulBackward");
  if (!Divided && !Multiplied)
    return Scaling::None;
  if (Types.size() == 2 && isMeanLoss(Types[1]))
    return Divided ? Scaling::Divided : Scaling::Maybe;
  return Types.size() == 2 && contains(Types[1], "Sum") ? Scaling::None
                                                        : Scaling::Maybe;
}

/// What happened between two steps.
struct Window {
  std::vector<uint32_t> Backwards;                   ///< of the finding's line
  std::vector<std::pair<uint64_t, size_t>> Zeroings; ///< object, backwards then
};

struct Count {
  unsigned Steps = 0;    ///< with a backward of the line in front
  unsigned Repeated = 0; ///< with two or more behind zero_grad
  unsigned Once = 0;     ///< with one, zero_grad or not
  unsigned Divided = 0, Maybe = 0;
  unsigned Untold = 0; ///< several, but which gradients was not recorded
  uint64_t Backwards = 0;
};

class Counter {
public:
  Counter(const Case &C) : C(C), T(C.Run.trace()) {}

  bool seen() const { return Seen; }

  Count count() {
    const std::vector<SourceSpan> Range{C.What.Range.valid() ? C.What.Range
                                                             : C.What.Where};
    for (uint32_t I = 0; I < T.Events.size(); ++I) {
      const trace::Event &E = T.Events[I];
      switch (E.Kind) {
      case EventKind::BackwardBegin:
        if (C.Run.passes(E.Stack, Range)) {
          Now.Backwards.push_back(I);
          Seen = true;
        }
        break;
      case EventKind::GradAccumulated:
        if (E.Value < T.Events.size())
          Variables[static_cast<uint32_t>(E.Value)][E.Pointer] =
              !E.has(trace::KnowsDefined) || E.has(trace::WasDefined);
        break;
      case EventKind::ZeroGrad:
        Now.Zeroings.emplace_back(E.has(trace::OfModule) ? 0 : E.Pointer,
                                  Now.Backwards.size());
        break;
      case EventKind::StepBegin:
        close(E.Pointer);
        break;
      default:
        break;
      }
    }
    return Result;
  }

private:
  void close(uint64_t Optimizer) {
    Window W = std::move(Now);
    Now = Window();
    if (W.Backwards.empty())
      return;
    ++Result.Steps;
    Result.Once += W.Backwards.size() == 1;
    // Zeroing by another optimizer touches other gradients.
    size_t From = 0;
    for (auto [Object, Before] : W.Zeroings)
      if (Object == 0 || Object == Optimizer)
        From = Before;
    std::vector<uint32_t> Since(
        W.Backwards.begin() + static_cast<ptrdiff_t>(From), W.Backwards.end());
    if (Since.size() >= 2 &&
        std::all_of(Since.begin(), Since.end(),
                    [&](auto B) { return Variables[B].empty(); }))
      ++Result.Untold;
    if (!ontoSameGradients(Since))
      return;
    ++Result.Repeated;
    Result.Backwards += Since.size();
    Scaling S = scalingOf(T, Since.back());
    Result.Divided += S == Scaling::Divided;
    Result.Maybe += S == Scaling::Maybe;
  }

  /// Some gradient was added to by at least two of the backwards, and was not
  /// taken away by hand in between.
  bool ontoSameGradients(const std::vector<uint32_t> &Backwards) {
    std::set<uint64_t> Before;
    for (uint32_t B : Backwards) {
      for (auto [Variable, WasDefined] : Variables[B]) {
        if (WasDefined && Before.count(Variable))
          return true;
        Before.insert(Variable);
      }
    }
    return false;
  }

  const Case &C;
  const trace::Trace &T;
  Window Now;
  Count Result;
  /// By backward: each variable, and whether it had a gradient before.
  std::map<uint32_t, std::map<uint64_t, bool>> Variables;
  bool Seen = false;
};

} // namespace

Verdict confirm::proveUnscaledAccumulation(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  Counter Counting(C);
  Count N = Counting.count();
  if (!Counting.seen())
    return nothingSeen(C);

  Verdict V;
  V.DidRun = Ran::Yes;
  V.Iterations = N.Steps;
  V.Evidence.emplace_back("iteration", "steps");
  if (N.Repeated)
    V.Evidence.emplace_back(
        "backwards_per_step",
        shortNumber(static_cast<double>(N.Backwards) / N.Repeated));
  V.Evidence.emplace_back("steps_with_several", std::to_string(N.Repeated));
  if (N.Steps < 3) {
    V.State = VerdictState::Undecided;
    V.Reason = N.Steps ? "only " + counted(N.Steps, "steps") +
                             " followed this backward: too few"
                       : "no step of a known optimizer followed this backward";
    return V;
  }
  const std::string Steps = counted(N.Steps, "steps");
  if (N.Repeated * 2 > N.Steps) {
    const std::string Times =
        shortNumber(static_cast<double>(N.Backwards) / N.Repeated);
    if (N.Divided * 2 > N.Repeated) {
      V.State = VerdictState::Contradicted;
      V.Reason = "it ran " + Times +
                 " times per step, but the mean loss was divided before it";
    } else if (N.Maybe * 2 > N.Repeated) {
      V.State = VerdictState::Undecided;
      V.Reason = "it ran " + Times +
                 " times per step onto the same gradients, but the loss ends "
                 "in a factor that may be the scaling";
    } else {
      V.State = VerdictState::Confirmed;
      V.Reason = "it ran " + Times +
                 " times per step onto the same gradients, and nothing divided "
                 "the loss";
      if (N.Repeated != N.Steps)
        V.Reason += ", in " + std::to_string(N.Repeated) + " of " + Steps;
    }
    return V;
  }
  if (N.Untold) {
    V.State = VerdictState::Undecided;
    V.Reason = "it ran several times per step, but onto which "
               "gradients was not recorded";
    return V;
  }
  if (N.Repeated == 0) {
    V.State = VerdictState::Contradicted;
    V.Reason = N.Once == N.Steps
                   ? "it ran once per step: nothing accumulates"
                   : "no gradient was added to twice between zero_grad and "
                     "step in any of " +
                         Steps;
    return V;
  }
  V.State = VerdictState::Undecided;
  V.Reason = "gradients were added up in " + std::to_string(N.Repeated) +
             " of " + Steps + " only";
  return V;
}

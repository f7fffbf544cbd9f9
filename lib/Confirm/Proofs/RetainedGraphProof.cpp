//===- RetainedGraphProof.cpp - Does history pile up? ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///

#include "Confirm/Proofs/RetainedGraphProof.h"
#include <algorithm>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

/// Nodes and blocks of some parts, judged together by one clock.
struct Judged {
  Clock By;
  Growth Nodes, Blocks;

  GrowthState state() const { return std::max(Nodes.State, Blocks.State); }
};

Judged judgeBy(const Case &C, const Parts &P, Clock By) {
  bool Bounded = C.What.HeldBy && C.What.HeldBy->MayBeBounded;
  Judged J;
  J.Nodes = judgeGrowth(nodeLives(C.Run, P, By), By.Ticks.size(), Bounded);
  J.Blocks = judgeGrowth(blockLives(C.Run, P, By), By.Ticks.size(), Bounded);
  J.By = std::move(By);
  return J;
}

Judged judge(const Case &C, const Parts &P) {
  std::optional<Clock> Second;
  Judged First = judgeBy(C, P, chooseClock(C.Run, P, Second));
  if (!Second || First.state() == GrowthState::Grows)
    return First;
  Judged Other = judgeBy(C, P, *Second);
  return Other.state() > First.state() ? Other : First;
}

/// All that is kept per tick: with the graph behind the seeds and the blocks
/// that it pins.
void addFigures(const Case &C, const Clock &By, Verdict &V) {
  Parts All = joined(C.Made.Own, C.Made.Source);
  addHistory(C.Run, All, By);
  const uint64_t Marks = By.Ticks.size();
  V.BytesPerIteration =
      survivorsPerMark(blockLives(C.Run, All, By), Marks).Bytes;
  V.NodesPerIteration =
      survivorsPerMark(nodeLives(C.Run, All, By), Marks).Count;
  V.HostBytesPerIteration = C.Run.heapPerTick(By);
}

bool sawNodes(const Case &C) {
  return !C.Made.Own.Nodes.empty() || !C.Made.Source.Nodes.empty();
}

bool madeUnderGuard(const Case &C) {
  Parts All = joined(C.Made.Own, C.Made.Source);
  return !All.Blocks.empty() &&
         std::none_of(All.Blocks.begin(), All.Blocks.end(),
                      [&](uint32_t I) { return C.Run.blocks()[I].GradOn; });
}

/// Blocks grow, nodes do not.
Verdict valuesOnly(const Case &C, Verdict V, const std::string &Times) {
  if (!sawNodes(C) && !madeUnderGuard(C)) {
    V.State = VerdictState::Undecided;
    V.Reason = "tensors pile up through " + Times +
               ", but no graph node could be traced to the statement";
    return V;
  }
  V.State = VerdictState::Contradicted;
  V.Reason =
      "what piles up through " + Times + " is values without autograd history";
  return V;
}

/// Graphs without backward that are held until their loop ends: no leak, but
/// all its activations at once. Nothing if that is not what happened.
std::optional<Verdict> heldPerLoop(const Case &C, const Parts &P) {
  if (C.DidRun != Ran::Yes || (C.What.HeldBy && C.What.HeldBy->MayBeBounded))
    return std::nullopt;
  Parts Unused;
  std::vector<Life> Lives;
  for (uint32_t I : P.Nodes) {
    const Node &N = C.Run.nodes()[I];
    if (N.Evaluated)
      continue;
    Unused.Nodes.push_back(I);
    Lives.push_back({N.Born, N.Died, N.Stack, 0});
  }
  const std::vector<uint64_t> Ticks = executionsOf(C.Run, Unused).Ticks;
  LoopHold Hold = findLoopHold(Lives, Ticks);
  if (Hold.Loops < 2 || Hold.Ticks * 2 < Ticks.size())
    return std::nullopt;
  Verdict V;
  V.State = VerdictState::Confirmed;
  V.DidRun = C.DidRun;
  V.Evidence.emplace_back("iteration", "executions");
  V.Evidence.emplace_back("held_at_once", std::to_string(Hold.Rounds));
  V.Iterations = Ticks.size();
  V.PeakBytes = peakPinned(C.Run, Unused.Nodes);
  if (*V.PeakBytes == 0) // a sum over graphs whose backward has run
    return std::nullopt;
  V.BytesPerIteration =
      static_cast<double>(*V.PeakBytes) / static_cast<double>(Hold.Rounds);
  V.NodesPerIteration =
      static_cast<double>(Lives.size()) / static_cast<double>(Ticks.size());
  V.Reason = holderName(C.What) + " held the unused graphs of all " +
             std::to_string(Hold.Rounds) +
             " rounds at once, until its loop had ended";
  return V;
}

Verdict shared(const Case &C, Verdict V) {
  V.State = VerdictState::Undecided;
  V.Reason = "what its producers make is kept, but line " +
             std::to_string(C.Rival->Where.Line) +
             " takes from the same producers: the run cannot tell which of "
             "them keeps it";
  return V;
}

Verdict describe(const Case &C, const Judged &J) {
  Verdict V;
  V.DidRun = C.DidRun;
  const std::string Times = counted(J.By.Ticks.size(), J.By.Unit);
  V.Iterations = J.By.Ticks.size();
  V.Evidence.emplace_back("iteration", J.By.Unit);
  const std::string Who = holderName(C.What);
  const bool Long = J.By.Ticks.size() >= GrowthRule::ShortRun;
  // The finding is about history: blocks that grow without nodes are values.
  if (J.Blocks.State >= GrowthState::GrewInAll &&
      (J.Nodes.State == GrowthState::Flat ||
       (J.Nodes.State == GrowthState::Settled && Long)))
    return valuesOnly(C, std::move(V), Times);
  switch (J.state()) {
  case GrowthState::Grows:
    addFigures(C, J.By, V);
    if (*V.NodesPerIteration < 0.01)
      return valuesOnly(C, std::move(V), Times);
    V.State = VerdictState::Confirmed;
    V.Reason = Who + " grew through the whole run and let go of nothing";
    return V;
  case GrowthState::BoundOpen:
    addFigures(C, J.By, V);
    V.State = VerdictState::Undecided;
    V.Reason = "grew through all " + Times + ", but the program can empty " +
               Who + " and was not seen doing it: run longer";
    return V;
  case GrowthState::GrewInAll:
    addFigures(C, J.By, V);
    V.State = VerdictState::Undecided;
    V.Reason = "grew in all " + Times +
               " seen, too few to tell a leak from a holder that fills (" +
               std::to_string(GrowthRule::ShortRun) + " are enough)";
    return V;
  case GrowthState::TooFew:
    V.State = VerdictState::Undecided;
    V.Reason = "only " + Times + ": too few to see growth";
    return V;
  case GrowthState::Settled:
    if (!Long) {
      V.State = VerdictState::Undecided;
      V.Reason = "some of it was left after " + Times +
                 ", but it did not grow all the way: run longer";
      return V;
    }
    V.State = VerdictState::Contradicted;
    V.Reason = "it stopped growing: what was left at the end was not made "
               "throughout the run";
    return V;
  case GrowthState::Flat:
    V.State = VerdictState::Contradicted;
    V.Reason = "all that was made here was freed again, throughout the run";
    V.PeakBytes = peakBytes(C.Run, joined(C.Made.Own, C.Made.Source));
    return V;
  case GrowthState::NotSeen:
    break;
  }
  return nothingSeen(C);
}

} // namespace

Verdict confirm::proveRetainedGraph(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.Run.hookMissing("node-made"))
    return undecided(C.DidRun,
                     "this LibTorch hides graph nodes from the recorder");
  if (C.Made.Own.empty() && C.Made.Source.empty())
    return nothingSeen(C);

  Judged Own = judge(C, C.Made.Own);
  if (Own.state() >= GrowthState::GrewInAll)
    return describe(C, Own);

  Parts Everything = joined(C.Made.Own, C.Made.Source);
  Judged All = judge(C, Everything);
  if (All.state() >= GrowthState::GrewInAll && C.Rival)
    return shared(C, describe(C, All));
  if (All.state() <= GrowthState::Settled) {
    if (C.Rival)
      if (auto V = heldPerLoop(C, C.Made.Own))
        return *V;
    if (auto V = heldPerLoop(C, Everything))
      return C.Rival ? shared(C, *V) : *V;
  }

  Verdict V = describe(C, All);
  if (V.State == VerdictState::Contradicted && C.DidRun != Ran::Yes)
    return undecided(
        C.DidRun,
        "nothing piled up, but whether the statement ran is unknown" +
            (C.WhyUnknown.empty() ? std::string() : ": " + C.WhyUnknown));
  if (V.State == VerdictState::Contradicted && !sawNodes(C))
    V.Reason = "no autograd history was recorded here: grad mode was off or "
               "nothing required a gradient";
  return V;
}

//===- SavedDataProof.cpp - Are outputs ever freed? -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A forward runs without grad mode, and its node is made in a template of
/// LibTorch: what can be traced to the finding are the output's blocks.
///
//===----------------------------------------------------------------------===//

#include "Confirm/Proofs/SavedDataProof.h"
#include "Confirm/Growth.h"
#include <algorithm>

using namespace torchtidy;
using namespace torchtidy::confirm;

namespace {

struct Judged {
  Clock By;
  GrowthState State = GrowthState::NotSeen;
};

Judged judgeBy(const Case &C, const Parts &P, Clock By) {
  Judged J;
  J.State = judgeGrowth(blockLives(C.Run, P, By), By.Ticks.size(), false).State;
  J.By = std::move(By);
  return J;
}

Judged judge(const Case &C, const Parts &P) {
  std::optional<Clock> Second;
  Judged First = judgeBy(C, P, chooseClock(C.Run, P, Second));
  if (!Second || First.State == GrowthState::Grows)
    return First;
  Judged Other = judgeBy(C, P, *Second);
  return Other.State > First.State ? Other : First;
}

} // namespace

Verdict confirm::proveSavedData(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  const Parts All = joined(C.Made.Own, C.Made.Source);
  if (All.Blocks.empty())
    return nothingSeen(C);

  const Judged J = judge(C, All);
  const uint64_t Ticks = J.By.Ticks.size();
  const std::string Times = counted(Ticks, J.By.Unit);
  const auto Left = static_cast<uint64_t>(
      std::count_if(All.Blocks.begin(), All.Blocks.end(), [&](uint32_t I) {
        return C.Run.blocks()[I].Died == Never;
      }));
  Verdict V;
  V.DidRun = C.DidRun;
  V.Iterations = Ticks;
  V.Evidence.emplace_back("iteration", J.By.Unit);
  V.Evidence.emplace_back("tensors_made", std::to_string(All.Blocks.size()));
  V.Evidence.emplace_back("alive_at_the_end", std::to_string(Left));
  auto AddFigures = [&] {
    V.BytesPerIteration =
        survivorsPerMark(blockLives(C.Run, All, J.By), Ticks).Bytes;
    V.HostBytesPerIteration = C.Run.heapPerTick(J.By);
  };
  switch (J.State) {
  case GrowthState::Grows:
    AddFigures();
    V.State = VerdictState::Confirmed;
    V.Reason = "outputs pile up through the whole run: of " +
               counted(All.Blocks.size(), "tensors") + " made for them, " +
               std::to_string(Left) + " are alive at the end";
    return V;
  case GrowthState::BoundOpen:
  case GrowthState::GrewInAll:
    AddFigures();
    V.Reason = "outputs piled up in all " + Times +
               " seen, too few to tell a leak from a holder that fills (" +
               std::to_string(GrowthRule::ShortRun) + " are enough)";
    return V;
  case GrowthState::TooFew:
    V.Reason = "only " + Times + ": too few to see growth";
    return V;
  case GrowthState::Settled:
    if (Ticks < GrowthRule::ShortRun) {
      V.Reason = "some outputs were left after " + Times +
                 ", but they did not pile up all the way: run longer";
      return V;
    }
    V.State = VerdictState::Contradicted;
    V.Reason = "outputs stopped piling up: what was left at the end was not "
               "made throughout the run";
    break;
  case GrowthState::Flat:
    V.State = VerdictState::Contradicted;
    V.Reason = "outputs were freed again, throughout the run";
    break;
  case GrowthState::NotSeen:
    return nothingSeen(C);
  }
  if (C.DidRun != Ran::Yes)
    return undecided(C.DidRun,
                     "outputs were freed again, but whether they were put into "
                     "saved_data is unknown" +
                         (C.WhyUnknown.empty() ? "" : ": " + C.WhyUnknown));
  return V;
}

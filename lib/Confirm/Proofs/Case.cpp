//===- Case.cpp - What a proof is given and gives -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///

#include "Confirm/Proofs/Case.h"
#include <cstdio>

using namespace torchtidy;
using namespace torchtidy::confirm;

Verdict confirm::undecided(Ran DidRun, std::string Reason) {
  Verdict V;
  V.State = VerdictState::Undecided;
  V.DidRun = DidRun;
  V.Reason = std::move(Reason);
  return V;
}

Verdict confirm::notExercised() {
  Verdict V;
  V.State = VerdictState::NotExercised;
  V.DidRun = Ran::No;
  V.Reason = "the run never reached this statement";
  return V;
}

Verdict confirm::nothingSeen(const Case &C) {
  if (C.DidRun == Ran::No)
    return notExercised();
  if (C.DidRun == Ran::Yes)
    return undecided(Ran::Yes, "the statement ran, but nothing that was "
                               "recorded can be traced to it");
  return undecided(Ran::Unknown,
                   "nothing that was recorded can be traced to it, and whether "
                   "it ran is unknown" +
                       (C.WhyUnknown.empty() ? "" : ": " + C.WhyUnknown));
}

std::string confirm::holderName(const Finding &F) {
  if (F.HeldBy && !F.HeldBy->Name.empty())
    return "'" + F.HeldBy->Name + "'";
  return "the holder";
}

std::string confirm::counted(uint64_t N, const std::string &Units) {
  std::string Unit = Units;
  if (N == 1 && !Unit.empty() && Unit.back() == 's')
    Unit.pop_back();
  return std::to_string(N) + " " + Unit;
}

std::string confirm::shortNumber(double Value) {
  char Text[64];
  std::snprintf(Text, sizeof Text, "%.1f", Value);
  std::string Result = Text;
  if (Result.size() > 2 && Result.compare(Result.size() - 2, 2, ".0") == 0)
    Result.resize(Result.size() - 2);
  return Result;
}

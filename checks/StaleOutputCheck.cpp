//===- StaleOutputCheck.cpp - Stale output --------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/StaleOutputCheck.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

void StaleOutputCheck::diagnose(const flow::Model &M) {
  for (const flow::StaleOutput &S : M.staleOutputs()) {
    const std::string Name = "'" + S.Holder.name() + "'";
    Report Out;
    Out.Loc = S.Store->E->getBeginLoc();
    Out.Message = Name + " keeps the graph of one iteration alive while the "
                         "next one runs its forward";
    Out.Notes.emplace_back(S.Forward->E->getBeginLoc(),
                           "this forward runs before the old graph is freed");
    if (S.KeptBy)
      Out.Notes.emplace_back(S.KeptBy->getBeginLoc(),
                             "this backward keeps what the graph has saved");
    Out.Notes.emplace_back(
        S.Variable->getLocation(),
        "declared outside the loop: the peak holds the activations of two "
        "iterations; inside, or reset or detached in each of them, it holds "
        "those of one");
    Out.Statement = S.Statement->getSourceRange();
    Out.Producers.push_back(S.Forward->E->getSourceRange());
    Out.Loop = S.Loop;
    Out.HeldBy = torchtidy::Holder{S.Holder.name(), {}, false};
    Out.HolderDecl = S.Variable;
    Out.Function = S.Function;
    report(Out);
  }
}

//===- SavedDataCheck.cpp - Outputs in saved_data -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/SavedDataCheck.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

void SavedDataCheck::diagnose(const flow::Model &M) {
  for (const flow::SavedOutput &S : M.savedOutputs()) {
    Report Out;
    Out.Loc = S.Store->getBeginLoc();
    Out.Message = S.IsView ? "a view of this function's output in 'saved_data' "
                             "keeps the output alive for ever"
                           : "this function's output in 'saved_data' is kept "
                             "alive for ever by its own graph node";
    for (const Expr *Call : S.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    Out.Notes.emplace_back(S.Return->getBeginLoc(),
                           "the output is returned here: it holds the node, "
                           "and the node holds what is in 'saved_data'");
    Out.Notes.emplace_back(Out.Loc,
                           "each call keeps the output and the graph behind "
                           "it; save_for_backward keeps outputs without such "
                           "a cycle");
    Out.Statement = S.Statement->getSourceRange();
    for (const Expr *P : S.Producers)
      Out.Producers.push_back(P->getSourceRange());
    Out.HeldBy = torchtidy::Holder{"saved_data", {}, false};
    Out.Function = S.Function;
    report(Out);
  }
}

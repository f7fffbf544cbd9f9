//===- UndetachedStateCheck.cpp - State carried with its history ----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/UndetachedStateCheck.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

void UndetachedStateCheck::diagnose(const flow::Model &M) {
  for (const flow::UndetachedState &U : M.undetached()) {
    const std::string Holder = "'" + U.Holder.name() + "'";
    Report Out;
    Out.Loc = U.Store->E->getBeginLoc();
    Out.Message =
        Holder + " carries its autograd history into the next iteration";
    constexpr size_t MaxProducers = 3;
    for (size_t I = 0; I < U.Producers.size() && I < MaxProducers; ++I)
      Out.Notes.emplace_back(U.Producers[I]->getBeginLoc(),
                             "the history comes from here");
    for (const Expr *Call : U.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    if (U.HolderDecl && U.HolderDecl->getLocation().isValid())
      Out.Notes.emplace_back(U.HolderDecl->getLocation(),
                             Holder + " is declared here");
    Out.Notes.emplace_back(
        U.Backward->E->getBeginLoc(),
        U.Backward->RetainsGraph
            ? "backward keeps the graph, so it runs through those of all "
              "earlier iterations again"
            : "backward runs here and frees the graph: in the second iteration "
              "it will fail, or go through what is left of the first");
    Out.Notes.emplace_back(Out.Loc,
                           "detach the state between iterations, or after as "
                           "many steps as backward shall go back");
    Out.Statement = U.Statement->getSourceRange();
    for (const Expr *P : U.Producers)
      Out.Producers.push_back(P->getSourceRange());
    Out.Loop = U.Loop;
    Out.HeldBy = torchtidy::Holder{U.Holder.name(), {}, false};
    Out.HolderDecl = U.HolderDecl;
    Out.Function = U.Function;
    report(Out);
  }
}

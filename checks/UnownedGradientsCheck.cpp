//===- UnownedGradientsCheck.cpp - Unowned gradients ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/UnownedGradientsCheck.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

void UnownedGradientsCheck::diagnose(const flow::Model &M) {
  for (const flow::UnownedGradients &U : M.unowned()) {
    const std::string Name = "'" + U.Module->getNameAsString() + "'";
    Report Out;
    Out.Loc = U.Backward->E->getBeginLoc();
    Out.Message = "backward fills the gradients of " + Name +
                  ", which no optimizer here owns";
    for (const Expr *Call : U.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    Out.Notes.emplace_back(U.Forward->E->getBeginLoc(),
                           "the loss comes through " + Name + " here");
    Out.Notes.emplace_back(U.Step->getBeginLoc(),
                           "this step uses gradients of other parameters");
    Out.Notes.emplace_back(
        U.Module->getLocation(),
        "as many bytes as the weights, and the time to compute them; without "
        "need if its parameters are set to requires_grad_(false)");
    Out.Statement = U.Statement->getSourceRange();
    Out.Producers.push_back(U.Forward->E->getSourceRange());
    Out.Loop = U.Loop;
    Out.HeldBy = torchtidy::Holder{U.Module->getNameAsString(), {}, false};
    Out.HolderDecl = U.Module;
    Out.Function = U.Function;
    report(Out);
  }
}

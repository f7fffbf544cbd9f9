//===- NoGradInTrainingCheck.cpp - No grad in training --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/NoGradInTrainingCheck.h"
#include "clang/AST/Stmt.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;
using flow::NoGradTraining;

static std::string messageOf(const NoGradTraining &N) {
  switch (N.How) {
  case NoGradTraining::Covered:
    return N.IsGuard ? "this guard turns grad mode off for a loss that is "
                       "differentiated"
                     : "grad mode is turned off for a loss that is "
                       "differentiated";
  case NoGradTraining::NotRestored:
    return "grad mode is turned off and not restored before training goes on";
  case NoGradTraining::LeftOff:
    return "grad mode is turned off and not restored on every way out";
  }
  return {};
}

/// What the loss is made of, if it is a variable that starts out with it.
static SourceRange madeBy(const Expr *Loss) {
  const auto *R = dyn_cast<DeclRefExpr>(Loss->IgnoreParenImpCasts());
  const auto *V = R ? dyn_cast<VarDecl>(R->getDecl()) : nullptr;
  return V && V->getInit() && !isa<ParmVarDecl>(V)
             ? V->getInit()->getSourceRange()
             : SourceRange();
}

void NoGradInTrainingCheck::diagnose(const flow::Model &M) {
  for (const NoGradTraining &N : M.noGradTraining()) {
    Report Out;
    Out.Loc = N.Statement->getBeginLoc();
    Out.Message = messageOf(N);
    if (N.Backward) {
      Out.Notes.emplace_back(N.Backward->E->getBeginLoc(),
                             "it has no history here, and this throws");
      for (const Expr *Call : N.Calls)
        Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
      for (const flow::Event *Other : N.Others)
        Out.Notes.emplace_back(Other->E->getBeginLoc(), "so does this");
      Out.Producers.push_back(N.BackwardStatement->getSourceRange());
      if (const SourceRange Loss = madeBy(N.Backward->Stored); Loss.isValid())
        Out.Producers.push_back(Loss);
    }
    if (N.Leaves)
      Out.Notes.emplace_back(N.Leaves->getBeginLoc(),
                             "grad mode is still off here; a later backward() "
                             "throws");
    Out.Statement = N.Statement->getSourceRange();
    Out.Loop = N.Loop;
    Out.Function = N.Function;
    report(Out);
  }
}

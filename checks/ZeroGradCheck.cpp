//===- ZeroGradCheck.cpp - Gradients zeroed never or too soon -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/ZeroGradCheck.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;

void ZeroGradCheck::diagnose(const flow::Model &M) {
  for (const flow::WrongZeroGrad &Z : M.zeroings()) {
    Report Out;
    Out.Loc = Z.At->E->getBeginLoc();
    const bool Missing = Z.How == flow::WrongZeroGrad::Missing;
    const bool Lost = Z.How == flow::WrongZeroGrad::BeforeStep;
    Out.Message = Missing ? "gradients are not zeroed between optimizer steps"
                  : Lost  ? "gradients are zeroed after backward, before the "
                            "optimizer steps"
                          : "gradients of all micro-batches but the last are "
                            "zeroed before the optimizer steps";
    for (const Expr *Call : Z.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    Out.Notes.emplace_back(Z.Backward->getBeginLoc(),
                           Missing ? "backward adds to the gradients that the "
                                     "step before has used"
                           : Lost  ? "this backward is for nothing"
                                   : "this backward is for one micro-batch");
    if (Z.Window)
      Out.Notes.emplace_back(Z.Window->getBeginLoc(),
                             "the optimizer steps once in several rounds");
    else if (Z.Step)
      Out.Notes.emplace_back(Z.Step->getBeginLoc(),
                             Lost ? "the optimizer steps here, with no gradient"
                                  : "the optimizer steps here, after the loop");
    Out.Notes.emplace_back(
        Out.Loc, Missing ? "call zero_grad() before backward or after the step"
                         : "zero them once per step, before the first backward "
                           "or after the step");
    Out.Statement = Z.Statement->getSourceRange();
    Out.Loop = Z.Loop;
    Out.Function = Z.Function;
    report(Out);
  }
}

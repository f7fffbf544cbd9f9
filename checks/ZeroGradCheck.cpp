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
    Out.Message =
        Z.Wipes ? "gradients of all micro-batches but the last are zeroed "
                  "before the optimizer steps"
                : "gradients are not zeroed between optimizer steps";
    for (const Expr *Call : Z.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    Out.Notes.emplace_back(Z.Backward->getBeginLoc(),
                           Z.Wipes ? "this backward is for one micro-batch"
                                   : "backward adds to the gradients that the "
                                     "step before has used");
    if (Z.Window)
      Out.Notes.emplace_back(Z.Window->getBeginLoc(),
                             "the optimizer steps once in several rounds");
    else if (Z.Step)
      Out.Notes.emplace_back(Z.Step->getBeginLoc(),
                             "the optimizer steps here, after the loop");
    Out.Notes.emplace_back(Out.Loc, Z.Wipes
                                        ? "zero them once per step, before the "
                                          "first backward or after the step"
                                        : "call zero_grad() before backward or "
                                          "after the step");
    Out.Statement = Z.Statement->getSourceRange();
    Out.Loop = Z.Loop;
    Out.Function = Z.Function;
    report(Out);
  }
}

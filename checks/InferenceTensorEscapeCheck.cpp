//===- InferenceTensorEscapeCheck.cpp - Inference tensor escape -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/InferenceTensorEscapeCheck.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::checks;
using flow::Meeting;

void InferenceTensorEscapeCheck::diagnose(const flow::Model &M) {
  for (const flow::InferenceEscape &X : M.escapes()) {
    const std::string Tensor =
        X.Tensor.empty() ? "a tensor that" : "'" + X.Tensor + "'";
    Report Out;
    Out.Loc = X.At->getBeginLoc();
    Out.Message = X.IsModule ? "the parameters of " +
                                   (X.Tensor.empty() ? "this module" : Tensor) +
                                   " were made under InferenceMode and"
                             : Tensor + " was made under InferenceMode" +
                                   (X.Tensor.empty() ? "" : " and");
    switch (X.What->K) {
    case Meeting::Saves:
      Out.Message += " cannot be saved for backward";
      break;
    case Meeting::Changes:
      Out.Message += " cannot be changed in place outside it";
      break;
    case Meeting::Requires:
      Out.Message += " cannot be made to require grad outside it";
      break;
    }
    if (X.Made)
      Out.Notes.emplace_back(X.Made->getBeginLoc(),
                             X.IsModule ? "the module is made here"
                                        : "it is made here");
    if (X.Guard)
      Out.Notes.emplace_back(X.Guard->getBeginLoc(),
                             "inference mode is turned on here");
    if (X.At != X.What->E)
      Out.Notes.emplace_back(X.What->E->getBeginLoc(),
                             "it meets autograd here, and this throws");
    for (const Expr *Call : X.Calls)
      Out.Notes.emplace_back(Call->getBeginLoc(), "called from here");
    Out.Notes.emplace_back(
        Out.Loc, X.IsModule
                     ? "they are normal tensors if the module is made outside "
                       "InferenceMode"
                 : X.What->K == Meeting::Saves
                     ? "a clone() that is made outside InferenceMode can be "
                       "saved; so can what is made under NoGradGuard instead"
                     : "a clone() that is made outside InferenceMode has no "
                       "such limit, nor has what is made under NoGradGuard");
    Out.Statement = X.Statement->getSourceRange();
    if (X.MadeStatement)
      Out.Producers.push_back(X.MadeStatement->getSourceRange());
    Out.Function = X.Function;
    report(Out);
  }
}

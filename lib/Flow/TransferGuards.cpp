//===- TransferGuards.cpp - Effects on grad mode --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::GuardKind;

void Transfer::enterRegion(const Stmt *At) {
  const Stmt *Region = Facts.Shape->parallelRegion(At);
  // Which thread a picked one is, and so what a guard outside means to it, is
  // not known.
  S->switchTo(Region, Mode::of(picksThread(Region) ? Mode::Unknown : Mode::On));
}

void Transfer::endOfLife(const VarDecl *V) {
  auto It = S->Saved.find(V);
  if (It == S->Saved.end())
    return;
  enterRegion(Facts.Shape->declaration(V));
  S->Grad = It->second;
  S->Saved.erase(It);
}

/// The bool that a guard's constructor gets.
static std::optional<bool> guardArgument(const Expr *Init, bool Default,
                                         const ASTContext &Context) {
  const Expr *E = Init ? skipNoise(Init) : nullptr;
  const auto *C = dyn_cast_or_null<CXXConstructExpr>(E);
  if (!C || C->getNumArgs() == 0)
    return Default;
  if (isa<CXXDefaultArgExpr>(C->getArg(0)))
    return Default;
  return semantics::constantBool(C->getArg(0), Context);
}

std::optional<bool> torchtidy::flow::engaged(const Expr *Init) {
  const Expr *E = Init ? skipNoise(Init) : nullptr;
  if (!E || isa<CXXNullPtrLiteralExpr>(E))
    return false;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E)) {
    if (C->getNumArgs() == 0)
      return false;
    return engaged(C->getArg(0));
  }
  if (semantics::isNullopt(E))
    return false;
  if (isa<AbstractConditionalOperator>(E))
    return std::nullopt;
  return true;
}

void Transfer::declareGuard(const VarDecl *V) {
  const GuardKind K = A.T.guardKind(V->getType());
  const Mode Before = S->Grad;
  Mode After = Before;
  const CXXRecordDecl *R = A.T.pointee(V->getType());
  const bool Own = V->getType()->getAsCXXRecordDecl() &&
                   V->getType()->getAsCXXRecordDecl()->getCanonicalDecl() ==
                       R->getCanonicalDecl();
  const bool IsPlain = A.T.isLibrary(R) || K == GuardKind::NoGrad;
  auto Under = [&](std::optional<bool> Enabled) {
    if (!Enabled)
      return Mode::of(Mode::Unknown);
    if (!*Enabled)
      return Mode::of(K == GuardKind::Inference ? Mode::Inference : Mode::Off);
    // Grad mode cannot be turned on inside inference mode, only by
    // InferenceMode(false).
    if (Before.has(Mode::Inference) && K == GuardKind::AutoGrad)
      return Before;
    return Mode::of(Mode::On);
  };
  if (!Own) {
    auto E = engaged(V->getInit());
    if (!E)
      After.join(Under(false));
    else if (*E)
      After = Under(false);
  } else if (!IsPlain) {
    After = Under(K == GuardKind::Inference ? std::optional<bool>(false)
                                            : std::nullopt);
  } else if (K == GuardKind::NoGrad) {
    After = Under(false);
  } else if (K == GuardKind::AutoGrad) {
    After = Under(guardArgument(V->getInit(), true, A.Context));
  } else {
    auto On = guardArgument(V->getInit(), true, A.Context);
    After = Under(On ? std::optional<bool>(!*On) : std::nullopt);
  }
  S->Saved[V] = Before;
  S->Grad = After;
}

void Transfer::setGradMode(const Call &C) {
  const Expr *P = C.Args.empty() ? nullptr : C.Args[0];
  if (!P)
    return;
  Value V = value(P);
  if (V.SavedMode) {
    S->Grad = *V.SavedMode;
    return;
  }
  auto On = semantics::constantBool(P, A.Context);
  S->Grad = Mode::of(!On ? Mode::Unknown : *On ? Mode::On : Mode::Off);
}

//===- Losses.cpp - What a loss is and what keeps it one ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Losses.h"
#include "Semantics/Names.h"
#include "Semantics/StringSwitch.h"

using namespace clang;
using namespace torchtidy::semantics;

static LossKind lossKindByText(const Stmt *E) {
  if (mentions(E, {"kSum", "Sum"}))
    return LossKind::Sum;
  if (mentions(E, {"kNone", "None"}))
    return LossKind::Unreduced;
  return LossKind::Mean;
}

/// By the constructors, if all can be seen.
static LossKind lossKindOfField(const FieldDecl *F) {
  const auto *R = dyn_cast<CXXRecordDecl>(F->getParent());
  if (!R)
    return LossKind::Unknown;
  for (const CXXConstructorDecl *C : R->ctors()) {
    if (C->isImplicit() || C->isDeleted() || C->isDefaulted())
      continue;
    const FunctionDecl *D = C->getDefinition();
    if (!D)
      return LossKind::Unknown;
    if (lossKindByText(D->getBody()) != LossKind::Mean)
      return LossKind::Unknown;
    for (const CXXCtorInitializer *I : cast<CXXConstructorDecl>(D)->inits())
      if (I->getAnyMember() == F && I->getInit() &&
          lossKindByText(I->getInit()) != LossKind::Mean)
        return lossKindByText(I->getInit());
  }
  return LossKind::Mean;
}

LossKind torchtidy::semantics::lossKindOf(const Call &C, const Types &T) {
  if (C.Kind == CallKind::Forward) {
    // A loss module; how it was made stands in its declaration.
    const CXXRecordDecl *R =
        C.Object ? T.pointee(C.Object->getType()) : nullptr;
    if (!R || !R->getIdentifier() || !R->getName().contains("Loss") ||
        !T.isLibrary(R))
      return LossKind::Unknown;
    const Expr *O = C.Object->IgnoreUnlessSpelledInSource();
    if (const auto *Arrow = dyn_cast<CXXOperatorCallExpr>(O))
      O = Arrow->getArg(0)->IgnoreUnlessSpelledInSource();
    if (const auto *Ref = dyn_cast<DeclRefExpr>(O))
      if (const auto *V = dyn_cast<VarDecl>(Ref->getDecl()))
        if (!isa<ParmVarDecl>(V))
          return V->getInit() ? lossKindByText(V->getInit()) : LossKind::Mean;
    if (const auto *M = dyn_cast<MemberExpr>(O))
      if (const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl())) {
        if (F->hasInClassInitializer() && F->getInClassInitializer())
          return lossKindByText(F->getInClassInitializer());
        return lossKindOfField(F);
      }
    return isa<CXXConstructExpr>(O) ? lossKindByText(O) : LossKind::Unknown;
  }
  if (C.Name == "mean" || C.Name == "nanmean")
    return LossKind::Mean;
  if (C.Name == "sum" || C.Name == "nansum")
    return LossKind::Sum;
  const bool Loss = C.Op && (C.Op->Reduces == Reduction::MeanDefault ||
                             C.Op->Reduces == Reduction::Argument);
  const bool Functional =
      C.Name.ends_with("_loss") || C.Name.ends_with("cross_entropy") ||
      C.Name.starts_with("binary_cross_entropy") || C.Name == "kl_div";
  if (!Loss && !Functional)
    return LossKind::Unknown;
  LossKind Result = LossKind::Mean;
  for (const Expr *A : C.Args)
    if (!T.isTensor(A->getType()) && !isa<CXXDefaultArgExpr>(A))
      if (LossKind R = lossKindByText(A); R != LossKind::Mean)
        Result = R;
  return Result;
}

LossStep torchtidy::semantics::lossStepOf(const Call &C) {
  StringRef N = C.Name;
  N.consume_back("_");
  return StringSwitch<LossStep>(N)
      .Cases({"add", "sub"}, LossStep::Combine)
      .Cases({"mul", "div", "true_divide", "multiply", "divide"},
             LossStep::Scale)
      .Cases({"mean", "nanmean"}, LossStep::Pool)
      .Cases({"neg", "negative", "clone", "alias", "contiguous"},
             LossStep::Keep)
      .Cases({"to", "toType", "cpu", "cuda"}, LossStep::Keep)
      .Cases({"squeeze", "unsqueeze", "view", "reshape", "flatten", "expand"},
             LossStep::Keep)
      .Default(LossStep::Other);
}

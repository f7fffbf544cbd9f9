//===- Transfer.cpp - Effects of statements -------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

void Transfer::element(const CFGElement &E) {
  if (auto D = E.getAs<CFGAutomaticObjDtor>())
    return endOfLife(D->getVarDecl());
  if (auto L = E.getAs<CFGLifetimeEnds>())
    return endOfLife(L->getVarDecl());
  if (auto I = E.getAs<CFGInitializer>())
    return initializer(I->getInitializer());
  if (auto X = E.getAs<CFGStmt>()) {
    enterRegion(X->getStmt());
    statement(X->getStmt());
  }
}

void Transfer::statement(const Stmt *X) {
  if (const auto *D = dyn_cast<DeclStmt>(X)) {
    for (const Decl *Y : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(Y))
        declare(V);
    return;
  }
  if (const auto *R = dyn_cast<ReturnStmt>(X))
    return returns(R);
  if (const auto *B = dyn_cast<BinaryOperator>(X)) {
    if (B->isAssignmentOp())
      assign(B, B->getLHS(), B->getRHS());
    return;
  }
  if (const auto *L = dyn_cast<LambdaExpr>(X)) {
    for (const LambdaCapture &C : L->captures())
      if (C.capturesVariable() && L->isInitCapture(&C))
        if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
          declare(V);
    return;
  }
  const auto *E = dyn_cast<Expr>(X);
  if (!E || !isa<CallExpr, CXXConstructExpr>(E))
    return;
  if (const auto *C = dyn_cast<CXXConstructExpr>(E))
    if (C->getNumArgs() >= 1 && C->getConstructor()->isCopyOrMoveConstructor())
      return; // skipNoise looks through it
  Value V = call(E);
  Values[E] = std::move(V);
}

void Transfer::initializer(const CXXCtorInitializer *I) {
  const FieldDecl *F = I->getAnyMember();
  if (!F || !I->getInit())
    return;
  Value V = value(I->getInit());
  const Storage Field = Storage::ofThis().field(F);
  if (A.T.carriesTensor(F->getType())) {
    flowInto(I->getInit(), Field);
    write(Field, read(V), /*Weak=*/false);
  }
  keepModule(I->getInit(), Field);
}

/// A default constructor, not a copy.
static bool madeHere(const Expr *Init) {
  const auto *C =
      dyn_cast_or_null<CXXConstructExpr>(Init ? skipNoise(Init) : Init);
  return C && C->getConstructor()->isDefaultConstructor();
}

void Transfer::declare(const VarDecl *V) {
  if (A.T.guardKind(V->getType()) != semantics::GuardKind::None)
    return declareGuard(V);
  const Expr *Init = V->getInit();
  const Storage Own = Storage::of(V);
  if (A.T.isThreadState(V->getType()) && madeHere(Init))
    S->Flags[V] = S->Grad;
  if (!Init) {
    S->Definitions.erase(V);
    if (V->hasLocalStorage() && A.T.carriesTensor(V->getType()))
      write(Own, {History::none(), LossShape::other(), Birth::nothing()},
            false);
    return;
  }
  Value X = value(Init);
  const bool Carries = A.T.carriesTensor(V->getType());
  if (X.IsGradient)
    A.Gradients.insert(cast<ValueDecl>(V->getCanonicalDecl()));
  if (X.IsParameter)
    A.Parameters.insert(cast<ValueDecl>(V->getCanonicalDecl()));
  if (X.SavedMode && V->getType()->isBooleanType())
    S->Flags[V] = *X.SavedMode;
  if (Carries)
    flowInto(Init, Own, /*Whole=*/true);
  keepModule(Init, Own);
  Storage Base = Own;
  const bool Names = A.T.isHandle(V->getType()) || X.NamesOnly || X.Inserter;
  if (Names && X.Loc.valid()) {
    A.Aliases[cast<ValueDecl>(V->getCanonicalDecl())] = X.Loc;
    Base = X.Loc;
  } else if (Carries && V->hasLocalStorage()) {
    const Cell All = read(X);
    write(Own, All, /*Weak=*/false);
    writeParts(Own, V->getType(), Init, X);
    if (X.Needs && tracked(Own))
      S->Needs.insert(V);
  }
  const auto *D = dyn_cast<DecompositionDecl>(V);
  if (!D)
    return;
  unsigned I = 0;
  for (const BindingDecl *B : D->bindings()) {
    Storage Part = partOf(Base, V->getType(), I++);
    if (const auto *M = dyn_cast_or_null<MemberExpr>(
            B->getBinding() ? B->getBinding()->IgnoreParenImpCasts() : nullptr))
      if (const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl()))
        Part = Base.field(F);
    A.Aliases[cast<ValueDecl>(B->getCanonicalDecl())] = Part;
  }
}

void Transfer::returns(const ReturnStmt *R) {
  const Expr *E = R->getRetValue();
  if (!E)
    return;
  Value V = value(E);
  if (A.T.isHandle(Facts.F->getReturnType()) && V.Loc.valid() &&
      !Facts.isLocal(V.Loc))
    Facts.ReturnedLoc = V.Loc;
  if (A.T.isModule(E->getType()))
    Facts.Returned.B.join(birthOfModule(E));
  if (!carries(E) && !A.T.carriesTensor(Facts.F->getReturnType()))
    return;
  Cell C = read(V);
  Facts.Returned.join(C);
  if (Recording)
    Facts.ReturnsNeed = Facts.ReturnsNeed.value_or(true) && V.Needs;
  const auto Parts = parts(V, E->getType(), Facts.F->getReturnType());
  Facts.ReturnedElements.resize(Parts.size(),
                                {History(), LossShape(), Birth::nothing()});
  for (unsigned I = 0; I < Parts.size(); ++I)
    Facts.ReturnedElements[I].join(Parts[I]);
  flow(FlowNode::of(skipNoise(E)), FlowNode::ofReturn(Facts.F));
}

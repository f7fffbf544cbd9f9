//===- LearningRates.cpp - Learning rates that scale gradients ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/LearningRates.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

static const ValueDecl *canonical(const ValueDecl *D) {
  return cast<ValueDecl>(D->getCanonicalDecl());
}

LearningRates::LearningRates(const Analysis &A, const Chains &C) : A(A) {
  for (const FunctionFacts *X : C.functions()) {
    findQuotients(X->Shape->body());
    if (const auto *Ctor = dyn_cast<CXXConstructorDecl>(X->F))
      for (const CXXCtorInitializer *I : Ctor->inits())
        if (I->getAnyMember() && isQuotient(I->getInit()))
          Quotients.insert(canonical(I->getAnyMember()));
  }
}

bool LearningRates::divides(const FunctionFacts &X) const {
  if (divides(X.Shape->body()))
    return true;
  const auto *Ctor = dyn_cast<CXXConstructorDecl>(X.F);
  return Ctor && llvm::any_of(Ctor->inits(), [&](const CXXCtorInitializer *I) {
           return I->getAnyMember() &&
                  A.T.isOptimizer(I->getAnyMember()->getType()) &&
                  containsDivision(I->getInit(), 0);
         });
}

/// `this->rate = rate / window`. A decay by a constant is no quotient.
void LearningRates::findQuotients(const Stmt *S) {
  if (!S)
    return;
  if (const auto *B = dyn_cast<BinaryOperator>(S))
    if (isScaling(B, BO_DivAssign, BO_MulAssign) ||
        (B->getOpcode() == BO_Assign && isQuotient(B->getRHS()))) {
      const Expr *To = skipNoise(B->getLHS());
      if (const auto *R = dyn_cast<DeclRefExpr>(To))
        Quotients.insert(canonical(R->getDecl()));
      else if (const auto *M = dyn_cast<MemberExpr>(To))
        Quotients.insert(canonical(M->getMemberDecl()));
    }
  for (const Stmt *Child : S->children())
    findQuotients(Child);
}

/// A quotient or product whose factor is no constant.
bool LearningRates::isQuotient(const Expr *E) const {
  const auto *B = E ? dyn_cast<BinaryOperator>(skipNoise(E)) : nullptr;
  return B && isScaling(B, BO_Div, BO_Mul);
}

bool LearningRates::isScaling(const BinaryOperator *B, BinaryOperatorKind Div,
                              BinaryOperatorKind Mul) const {
  auto Varies = [&](const Expr *E) {
    return E->getType()->isArithmeticType() && !E->isValueDependent() &&
           !E->isEvaluatable(A.Context);
  };
  return (B->getOpcode() == Div && Varies(B->getRHS())) ||
         (B->getOpcode() == Mul && Varies(B->getLHS()) && Varies(B->getRHS()));
}

bool LearningRates::holdsQuotient(const ValueDecl *D) const {
  if (Quotients.contains(canonical(D)))
    return true;
  const auto *F = dyn_cast<FieldDecl>(D);
  return F && F->hasInClassInitializer() &&
         isQuotient(F->getInClassInitializer());
}

bool LearningRates::divides(const Stmt *S) const {
  if (!S)
    return false;
  auto Contains = [&](const Expr *E) { return containsDivision(E, 0); };
  if (const auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *Y : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(Y);
          V && A.T.isOptimizer(V->getType()) && Contains(V->getInit()))
        return true;
  // optimizer = std::make_unique<...>(..., rate / window)
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S);
      O && O->getOperator() == OO_Equal && A.T.isOptimizer(O->getType()) &&
      Contains(O->getArg(1)))
    return true;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(S);
      M && M->getMethodDecl() &&
      semantics::setsLearningRate(M->getMethodDecl()) &&
      llvm::any_of(M->arguments(), Contains))
    return true;
  return llvm::any_of(S->children(),
                      [&](const Stmt *Child) { return divides(Child); });
}

bool LearningRates::containsDivision(const Stmt *S, unsigned Depth) const {
  if (!S || Depth > 20)
    return false;
  if (const auto *B = dyn_cast<BinaryOperator>(S))
    if (B->getOpcode() == BO_Div || B->getOpcode() == BO_Mul)
      if (!B->isValueDependent() && !B->isEvaluatable(A.Context))
        return true;
  const ValueDecl *D = nullptr;
  if (const auto *M = dyn_cast<MemberExpr>(S))
    D = M->getMemberDecl();
  else if (const auto *R = dyn_cast<DeclRefExpr>(S))
    D = R->getDecl();
  if (D && holdsQuotient(D))
    return true;
  if (const auto *V = dyn_cast_or_null<VarDecl>(D))
    if (!isa<ParmVarDecl>(V) && containsDivision(V->getInit(), Depth + 1))
      return true;
  return llvm::any_of(S->children(), [&](const Stmt *Child) {
    return containsDivision(Child, Depth + 1);
  });
}

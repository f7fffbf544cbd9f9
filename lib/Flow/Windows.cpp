//===- Windows.cpp - Steps, and the rounds between them -------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Windows.h"
#include "Flow/Transfer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

static bool isInteger(const Expr *E) {
  const QualType T = skipNoise(E)->getType();
  return T->isIntegerType() && !T->isBooleanType();
}

/// A counter: it is incremented, or holds a modulus.
static bool counts(const Expr *E) {
  E = skipNoise(E);
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->isIncrementDecrementOp();
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return B->getOpcode() == BO_Rem || B->getOpcode() == BO_And ||
           ((B->getOpcode() == BO_Add || B->getOpcode() == BO_Sub) &&
            (counts(B->getLHS()) || counts(B->getRHS())));
  if (const auto *R = dyn_cast<DeclRefExpr>(E))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()))
      return !V->getType().isConstQualified() && !isa<ParmVarDecl>(V);
  return isa<MemberExpr>(E);
}

bool WindowCondition::matches(const Expr *E, unsigned Depth) const {
  E = skipNoise(E);
  if (!E || Depth > 6)
    return false;
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isLogicalOp())
      return matches(B->getLHS(), Depth + 1) || matches(B->getRHS(), Depth + 1);
    if (B->getOpcode() == BO_Rem || B->getOpcode() == BO_And)
      return isInteger(B);
    if (B->isComparisonOp() && isInteger(B->getLHS()) && isInteger(B->getRHS()))
      return counts(B->getLHS()) || counts(B->getRHS());
    return false;
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_LNot && matches(U->getSubExpr(), Depth + 1);
  if (const auto *R = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V && !isa<ParmVarDecl>(V) && V->getInit() &&
           matches(V->getInit(), Depth + 1);
  }
  if (const auto *Call = dyn_cast<CallExpr>(E))
    if (const FunctionDecl *D = A.Funcs.definition(Call->getDirectCallee()))
      if (const auto *Body = dyn_cast_or_null<CompoundStmt>(D->getBody()))
        if (Body->size() == 1)
          if (const auto *Ret = dyn_cast<ReturnStmt>(Body->body_front()))
            return Ret->getRetValue() && matches(Ret->getRetValue(), Depth + 1);
  return false;
}

bool WindowCondition::recurs(const Expr *E, unsigned Depth) const {
  E = skipNoise(E);
  if (!E || Depth > 6 || !matches(E))
    return false;
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    if ((B->getOpcode() == BO_Rem || B->getOpcode() == BO_And) && isInteger(B))
      return true;
  if (const auto *R = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(R->getDecl());
    return V && !isa<ParmVarDecl>(V) && V->getInit() &&
           recurs(V->getInit(), Depth + 1);
  }
  return llvm::any_of(E->children(), [&](const Stmt *Child) {
    const auto *X = dyn_cast_or_null<Expr>(Child);
    return X && recurs(X, Depth + 1);
  });
}

bool Happenings::does(const FunctionFacts &X, Event::Kind K) const {
  llvm::SmallPtrSet<const FunctionFacts *, 8> Seen{&X};
  llvm::SmallVector<const FunctionFacts *, 8> Work{&X};
  while (!Work.empty()) {
    const FunctionFacts *Next = Work.pop_back_val();
    for (const Event &E : Next->Events)
      if (E.K == K)
        return true;
    for (const auto &S : Next->Calls)
      if (const FunctionFacts *Callee = A.known(S->Callee))
        if (Seen.insert(Callee).second)
          Work.push_back(Callee);
  }
  return false;
}

Sites Happenings::sites(const FunctionFacts &X) const {
  Sites S;
  for (const Event &E : X.Events) {
    if (E.K == Event::Step)
      S.Steps.push_back(E.E);
    else if (E.K == Event::ZeroGrad)
      S.Zeros.push_back(E.E);
  }
  for (const auto &Site : X.Calls) {
    const FunctionFacts *Callee = A.known(Site->Callee);
    if (!Callee)
      continue;
    if (does(*Callee, Event::Step) && !llvm::is_contained(S.Steps, Site->E))
      S.Steps.push_back(Site->E);
    if (does(*Callee, Event::ZeroGrad) && !llvm::is_contained(S.Zeros, Site->E))
      S.Zeros.push_back(Site->E);
  }
  return S;
}

bool Happenings::readsGradients(const Stmt *S) const {
  if (!S)
    return false;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(S))
    if (semantics::classify(M, A.T, A.Names).Kind ==
        semantics::CallKind::Gradient)
      return true;
  return llvm::any_of(S->children(),
                      [&](const Stmt *C) { return readsGradients(C); });
}

std::vector<Happenings::Found> Happenings::below(const FunctionFacts &X,
                                                 const Stmt *Within,
                                                 Event::Kind K) const {
  std::vector<Found> Result;
  auto Inside = [&](const Expr *E) {
    return !Within || X.Shape->contains(Within, E);
  };
  for (const Event &E : X.Events)
    if (E.K == K && Inside(E.E))
      Result.push_back({&E, &X, E.E});
  for (const auto &Site : X.Calls) {
    const FunctionFacts *First = A.known(Site->Callee);
    if (!First || !Inside(Site->E))
      continue;
    llvm::SmallPtrSet<const FunctionFacts *, 8> Seen{&X, First};
    llvm::SmallVector<const FunctionFacts *, 8> Work{First};
    while (!Work.empty()) {
      const FunctionFacts *Next = Work.pop_back_val();
      for (const Event &E : Next->Events)
        if (E.K == K)
          Result.push_back({&E, Next, Site->E});
      for (const auto &S : Next->Calls)
        if (const FunctionFacts *Callee = A.known(S->Callee))
          if (Seen.insert(Callee).second)
            Work.push_back(Callee);
    }
  }
  return Result;
}

//===- Ownership.cpp - Which optimizer owns which parameters --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Ownership.h"
#include "Flow/Transfer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

/// What a storage ends in: the field, else the variable.
static const ValueDecl *declOf(const Storage &S) {
  return S.lastField() ? static_cast<const ValueDecl *>(S.lastField()) : S.Root;
}

/// The variable or field behind handles: `net` in `(*net)`, `net.get()`.
static const ValueDecl *objectOf(const Expr *E) {
  for (;;) {
    E = skipNoise(E);
    if (const auto *R = dyn_cast_or_null<DeclRefExpr>(E))
      return cast<ValueDecl>(R->getDecl()->getCanonicalDecl());
    if (const auto *M = dyn_cast_or_null<MemberExpr>(E))
      return cast<ValueDecl>(M->getMemberDecl()->getCanonicalDecl());
    if (const auto *C = dyn_cast_or_null<CXXMemberCallExpr>(E))
      E = C->getImplicitObjectArgument();
    else if (const auto *O = dyn_cast_or_null<CXXOperatorCallExpr>(E))
      E = O->getNumArgs() ? O->getArg(0) : nullptr;
    else if (const auto *U = dyn_cast_or_null<UnaryOperator>(E))
      E = U->getSubExpr();
    else
      return nullptr;
  }
}

bool Ownership::collect(const Stmt *Init, Decls &Owned,
                        bool TakesTensors) const {
  if (!Init)
    return true;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(Init)) {
    if (semantics::classify(M, A.T, A.Names).Kind ==
        semantics::CallKind::Parameters) {
      const ValueDecl *D = objectOf(M->getImplicitObjectArgument());
      if (D)
        Owned.insert(D);
      return D;
    }
  }
  // A list of tensors from elsewhere.
  if (const auto *R = dyn_cast<DeclRefExpr>(Init))
    if (A.T.carriesTensor(R->getType())) {
      const auto *V = dyn_cast<VarDecl>(R->getDecl());
      return TakesTensors && V && A.T.isTensor(V->getType()) &&
             !V->getType()->isReferenceType() && V->hasLocalStorage() &&
             !isa<ParmVarDecl>(V);
    }
  if (const auto *M = dyn_cast<MemberExpr>(Init))
    if (A.T.carriesTensor(M->getType()))
      return false;
  if (isa<LambdaExpr>(Init))
    return true;
  return llvm::all_of(Init->children(), [&](const Stmt *C) {
    return collect(C, Owned, TakesTensors);
  });
}

bool Ownership::isKnown(const Storage &Optimizer) const {
  const auto *V = dyn_cast_or_null<VarDecl>(declOf(Optimizer));
  Decls Owned;
  return V && V->hasLocalStorage() && !isa<ParmVarDecl>(V) && V->getInit() &&
         collect(V->getInit(), Owned, /*TakesTensors=*/true);
}

Ownership::Decls Ownership::ownedBy(const Storage &Optimizer) const {
  Decls Owned;
  const ValueDecl *D = declOf(Optimizer);
  bool Known = true;
  if (const auto *V = dyn_cast_or_null<VarDecl>(D)) {
    Known =
        V->getInit() && !isa<ParmVarDecl>(V) && collect(V->getInit(), Owned);
  } else if (const auto *F = dyn_cast_or_null<FieldDecl>(D)) {
    if (F->hasInClassInitializer() && F->getInClassInitializer())
      Known &= collect(F->getInClassInitializer(), Owned);
    if (const auto *R = dyn_cast<CXXRecordDecl>(F->getParent()))
      for (const CXXConstructorDecl *C : R->ctors()) {
        const FunctionDecl *Body = A.Funcs.definition(C);
        if (!Body)
          continue;
        for (const CXXCtorInitializer *I :
             cast<CXXConstructorDecl>(Body)->inits())
          if (I->getAnyMember() == F && I->getInit())
            Known &= collect(I->getInit(), Owned);
      }
  }
  if (!Known)
    Owned.clear();
  return Owned;
}

bool Ownership::isForOthers(const Event &Zero, const Storage &Target,
                            const Storage &Optimizer) const {
  if (Zero.ByHand || !Target.valid() || Target == Optimizer)
    return false;
  const ValueDecl *Zeroed = declOf(Target);
  if (!Zeroed || Zeroed == declOf(Optimizer))
    return false;
  const Decls Ours = ownedBy(Optimizer);
  Decls Theirs;
  if (A.T.isOptimizer(Zeroed->getType()) ||
      (A.T.pointee(Zeroed->getType()) && !A.T.isModule(Zeroed->getType())))
    Theirs = ownedBy(Target);
  else
    Theirs.insert(Zeroed);
  if (Ours.empty() || Theirs.empty())
    return false;
  // One module under two names, or a module inside the other.
  auto MayMeet = [&](const ValueDecl *L, const ValueDecl *R) {
    return L == R || A.T.isHandle(L->getType()) || A.T.isHandle(R->getType()) ||
           A.T.pointee(L->getType()) == nullptr ||
           A.T.pointee(R->getType()) == nullptr;
  };
  for (const ValueDecl *L : Ours)
    for (const ValueDecl *R : Theirs) {
      if (L == R)
        return false;
      const bool Locals = isa<VarDecl>(L) && isa<VarDecl>(R) &&
                          L->getDeclContext() == R->getDeclContext();
      const bool Fields = isa<FieldDecl>(L) && isa<FieldDecl>(R) &&
                          L->getDeclContext() == R->getDeclContext();
      if (!Locals && !Fields && MayMeet(L, R))
        return false;
    }
  return true;
}

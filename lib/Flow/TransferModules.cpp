//===- TransferModules.cpp - Effects of forwards and insertions -----------===//
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
using semantics::Call;
using semantics::LossKind;
using semantics::ModuleKind;

/// The forward that a holder's call operator runs.
static const FunctionDecl *containedForward(const CXXRecordDecl *R) {
  for (unsigned Depth = 0; R && R->hasDefinition() && Depth < 8; ++Depth) {
    for (const CXXMethodDecl *M : R->getDefinition()->methods())
      if (M->getIdentifier() && M->getName() == "forward")
        return M;
    if (R->getDefinition()->getNumBases() == 0)
      return nullptr;
    R = R->getDefinition()->bases_begin()->getType()->getAsCXXRecordDecl();
  }
  return nullptr;
}

Value Transfer::forward(const Call &C) {
  Value Module = value(C.Object);
  const QualType Type = C.Object->getType();
  const bool Jit = A.T.isJitModule(Type) || A.T.isJitMethod(Type);
  // A type that only the user's list of forwards knows counts as a module.
  const ModuleKind Known = A.T.moduleKind(Type);
  const ModuleKind K =
      Jit || Known == ModuleKind::None ? ModuleKind::Parametric : Known;
  Value R = joinOf(C.Args, C.E, /*Forward=*/K != ModuleKind::Parameterless);
  R.View = {};
  R.Loc = {};
  if (K == ModuleKind::Parameterless) {
    R.H = R.H.through(S->Grad, C.E);
    switch (semantics::lossKindOf(C, A.T)) {
    case LossKind::Mean:
      R.Shape = {LossShape::Mean | LossShape::Unscaled};
      break;
    case LossKind::Sum:
      R.Shape = {LossShape::Sum | LossShape::Unscaled};
      break;
    default:
      R.Shape = LossShape::other();
    }
    return R;
  }
  R.Shape = LossShape::other();

  History In;
  for (const Atom &X : R.H.atoms())
    if (X.K != Atom::None && X.K != Atom::Unknown)
      In.add(X);
  const FunctionDecl *Body = A.Funcs.definition(C.Callee);
  if (!Body && K == ModuleKind::User)
    Body = A.Funcs.definition(containedForward(A.T.pointee(Type)));
  if (Body) {
    llvm::SmallVector<const Expr *, 4> Args(C.Args.begin(), C.Args.end());
    Value Inner = enter(Body, C.E, C.Object, Args, CallSite::Direct,
                        /*IsForward=*/true);
    R.Shape = Inner.Shape;
    R.Elements = Inner.Elements;
    // A forward that guards itself, or returns what has no history.
    const FunctionFacts *Facts = A.known(Body);
    if ((Facts && Facts->Status == FunctionFacts::Done &&
         Facts->Returned.H.onlyNone()) ||
        !carries(C.E)) {
      R.H = Inner.H;
      return R;
    }
  } else if (!carries(C.E)) {
    return {};
  }
  In.join(History::leaf());
  R.H = In.through(S->Grad, C.E);
  if (Event *X = record(Event::Forward, C.E)) {
    X->Target = Module.Loc;
    X->H = R.H;
  }
  return R;
}

/// The key of an insertion into a map, or null where insertion always grows.
static const Expr *insertedKey(const Call &C) {
  const CXXRecordDecl *R =
      C.Object->getType().getNonReferenceType()->getAsCXXRecordDecl();
  if (!R || !R->getIdentifier() ||
      !(R->getName().contains("map") || R->getName().contains("Dict")) ||
      R->getName().contains("multi") || C.Args.empty())
    return nullptr;
  if (C.Args.size() > 1 && !C.Args[0]->getType()->isPointerType())
    return C.Args[0];
  const Expr *Pair = skipNoise(C.Args[0]);
  for (unsigned Depth = 0; Depth < 4; ++Depth) {
    if (const auto *L = dyn_cast<InitListExpr>(Pair); L && L->getNumInits())
      return L->getInit(0);
    if (const auto *X = dyn_cast<CXXConstructExpr>(Pair)) {
      if (X->getNumArgs() == 2)
        return X->getArg(0);
      if (X->getNumArgs() != 1)
        return nullptr;
      Pair = skipNoise(X->getArg(0));
      continue;
    }
    if (const auto *X = dyn_cast<CallExpr>(Pair); X && X->getNumArgs() == 2)
      return X->getArg(0);
    return nullptr;
  }
  return nullptr;
}

Value Transfer::insert(const Call &C) {
  Value Holder = value(C.Object);
  History Given = History::none();
  const Expr *Stored = nullptr;
  for (const Expr *P : C.Args) {
    if (isa<CXXDefaultArgExpr>(P) || !carries(P))
      continue;
    Value V = value(P);
    if (V.Loc.valid() && V.Loc == Holder.Loc)
      continue; // a position in the holder itself
    History H = read(V).H;
    if (!Stored || !H.onlyNone())
      Stored = P;
    Given.join(H);
    flowInto(P, Holder.Loc);
  }
  if (!Stored)
    return {};
  if (Event *X = record(Event::Store, C.E)) {
    X->How = Event::Insert;
    X->Stored = Stored;
    X->Key = insertedKey(C);
    X->Target = Holder.Loc;
    X->H = Given;
  }
  write(Holder.Loc, {Given, LossShape::other()}, /*Weak=*/true);
  Value R;
  R.Loc = Holder.Loc;
  return R;
}

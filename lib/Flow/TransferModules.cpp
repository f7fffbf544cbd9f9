//===- TransferModules.cpp - Effects of forwards and insertions -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Losses.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::LossKind;
using semantics::ModuleKind;

Value Transfer::forward(const Call &C) {
  Value Module = value(C.Object);
  const QualType Type = C.Object->getType();
  const bool Jit = A.T.isJitModule(Type) || A.T.isJitMethod(Type);
  // A type that only the user's list of forwards knows counts as a module.
  const ModuleKind Known = A.T.moduleKind(Type);
  const ModuleKind K =
      Jit || Known == ModuleKind::None ? ModuleKind::Parametric : Known;
  const FunctionDecl *Body = nullptr;
  if (K != ModuleKind::Parameterless) {
    Body = A.Funcs.definition(C.Callee);
    const FunctionDecl *Own = K == ModuleKind::User
                                  ? semantics::forwardOf(A.T.pointee(Type))
                                  : nullptr;
    if (!Body && Own)
      Body = A.Funcs.definition(Own);
    if (!Body && Own)
      noteElsewhere(Own, C, /*IsForward=*/true);
  }
  FlowEdge Through;
  Through.Forward = K != ModuleKind::Parameterless;
  Through.Summary = Body != nullptr;
  Value R = joinOf(C.Args, C.E, Through);
  R.View = {};
  R.Loc = {};
  meetSaved(C, Module.Loc);
  // What has no parameters may hand on what it gets.
  const Birth New = Birth::made(S->Grad, C.E);
  if (K == ModuleKind::Parameterless)
    R.B.join(New);
  else
    R.B = New;
  R.Needs =
      S->Grad.recordsAlways() && (K != ModuleKind::Parameterless ||
                                  llvm::any_of(C.Args, [&](const Expr *P) {
                                    return carries(P) && value(P).Needs;
                                  }));
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
  if (Body) {
    llvm::SmallVector<const Expr *, 4> Args(C.Args.begin(), C.Args.end());
    Value Inner = enter(Body, C.E, C.Object, Args, CallSite::Direct,
                        /*IsForward=*/true);
    R.Shape = Inner.Shape;
    R.Elements = Inner.Elements;
    R.B = read(Inner).B;
    R.Needs &= Inner.Needs;
    // A forward that guards itself, or returns what has no history.
    const FunctionFacts *Facts = A.known(Body);
    if ((Facts && Facts->Status == FunctionFacts::Done &&
         Facts->Returned.H.onlyNone()) ||
        !carries(C.E)) {
      R.H = Inner.H;
      return R;
    }
  } else if (!carries(C.E)) {
    for (const Expr *P : C.Args) // into what it returns, perhaps
      leaks(P);
    return {};
  }
  In.join(History::leaf());
  R.H = In.through(S->Grad, C.E);
  // A body that turns grad mode on itself.
  if (Body && !S->Grad.is(Mode::On))
    if (const FunctionFacts *Facts = A.known(Body))
      for (const Atom &X : Facts->Returned.H.atoms())
        if (X.K == Atom::Unknown || (X.K == Atom::Live && !X.IfGrad))
          R.H.add({Atom::Unknown});
  if (Event *X = record(Event::Forward, C.E)) {
    X->Target = Module.Loc;
    X->H = R.H;
    for (Storage &L : S->holding(C.E))
      if (Facts.isLocal(L))
        X->Holders.push_back(std::move(L));
  }
  return R;
}

Value Transfer::insert(const Call &C) {
  Value Holder = value(C.Object);
  if (Holder.IsParameter) // a copy of the module's list, not the module
    return {};
  History Given = History::none();
  Birth Born = Birth::nothing();
  const Expr *Stored = nullptr;
  for (const Expr *P : C.Args) {
    if (isa<CXXDefaultArgExpr>(P) || !carries(P))
      continue;
    Value V = value(P);
    if (V.Loc.valid() && V.Loc == Holder.Loc)
      continue; // a position in the holder itself
    const Cell New = read(V);
    if (!Stored || !New.H.onlyNone())
      Stored = P;
    Given.join(New.H);
    Born.join(New.B);
    flowInto(P, Holder.Loc);
  }
  if (!Stored)
    return {};
  if (Event *X = record(Event::Store, C.E)) {
    X->How = Event::Insert;
    X->Stored = Stored;
    X->Key = semantics::insertedKey(C);
    X->Target = Holder.Loc;
    X->H = Given;
  }
  write(Holder.Loc, {Given, LossShape::other(), Born}, /*Weak=*/true);
  Value R;
  R.Loc = Holder.Loc;
  return R;
}

//===- PathCalls.cpp - What calls do to the things of a path --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/PathWalk.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"
#include "Semantics/SavedData.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::CallKind;
using semantics::Identity;

Found PathWalk::call(const Expr *E) {
  const Call C = semantics::classify(E, A.T, A.Names);
  if (C.Object && semantics::isAssignment(C)) {
    assign(C.Object, C.Args[0]);
    return value(C.Object);
  }
  if (C.Object && P.thing(value(C.Object)).K == Thing::Context) {
    context(C);
    return {};
  }
  if (inlined(C))
    return {};
  if (isa<CXXConstructExpr>(E)) {
    if (!semantics::isWrapper(E->getType(), A.T))
      escapes(C);
    return construct(C);
  }
  if (C.Object) {
    const Found Object = value(C.Object);
    const Thing &X = P.thing(Object);
    if (X.K == Thing::Group && A.T.isLibrary(C.Callee) &&
        !semantics::isWrapper(C.Object->getType(), A.T))
      return container(C, Object);
  }
  switch (C.Kind) {
  case CallKind::Operator:
    if (!C.Op && !A.T.isTensor(E->getType())) { // Tuple::create
      escapes(C);
      return library(C);
    }
    return tensor(C);
  case CallKind::Detach:
  case CallKind::DetachInPlace:
  case CallKind::MakeLeaf:
  case CallKind::StopGrad:
    return tensor(C);
  case CallKind::Same: {
    const Found X = value(C.Args[0]);
    if (auto I = semantics::tupleIndex(C))
      return P.part(P.read(X), PartKey::number(*I), /*Make=*/false);
    return X;
  }
  case CallKind::Access: // a wrapper's: toTensor(), value(), *
    return value(C.Object);
  case CallKind::Tie:
    return {group(C.Args, /*ByPlace=*/true)};
  case CallKind::BackInserter: {
    const ThingId Into = P.read(value(C.Args[0]));
    if (P.Things[Into].K == Thing::Group)
      P.Things[Into].IsOpen = true;
    return {};
  }
  case CallKind::Through:
    escapes(C);
    return library(C);
  default:
    escapes(C);
    if (!carries(E))
      return {};
    // A module may hand on what it gets.
    return {typed(E->getType(), E, C.Kind == CallKind::Forward)};
  }
}

bool PathWalk::inlined(const Call &C) {
  const FunctionDecl *F = nullptr;
  const Thing *Lambda = nullptr;
  if (const auto *CE = dyn_cast<CallExpr>(C.E)) {
    const Expr *Called = C.Object ? C.Object : CE->getCallee();
    const Thing &X = P.thing(value(Called));
    if (X.K == Thing::Callable && (!C.Object || semantics::callsItsObject(C))) {
      Lambda = &X;
      F = A.Funcs.body(C.Object && !A.T.isLibrary(C.Callee)
                           ? C.Callee
                           : X.Lambda->getCallOperator());
    }
  }
  if (!F && (C.Kind == CallKind::User || C.Kind == CallKind::Forward) &&
      !isa<CXXConstructExpr>(C.E)) {
    const auto *M = dyn_cast_or_null<CXXMethodDecl>(C.Callee);
    if (!M || !M->isVirtual())
      F = A.Funcs.body(C.Callee);
  }
  if (!F || (F->isVariadic() && !Lambda))
    return false;
  std::map<const ValueDecl *, SlotId> Variables;
  if (Lambda)
    Variables = Lambda->Captured;
  for (unsigned I = 0; I < F->getNumParams() && I < C.Args.size(); ++I) {
    const ParmVarDecl *V = F->getParamDecl(I);
    const Found X = value(C.Args[I]);
    const QualType T = V->getType();
    Variables[cast<ValueDecl>(V->getCanonicalDecl())] =
        (T->isReferenceType() || T->isPointerType()) && X.Where != Nowhere
            ? X.Where
            : P.addSlot(passed(C.Args[I], T));
  }
  if (!enter(F, C.E))
    return false;
  P.frame().Variables = std::move(Variables);
  return true;
}

/// Does a body give a variable a new value?
static bool assigns(const Stmt *S, const ValueDecl *V) {
  if (!S)
    return false;
  const Expr *Left = nullptr;
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    Left = B->getLHS();
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S);
      O && O->getOperator() == OO_Equal)
    Left = O->getArg(0);
  if (const auto *U = dyn_cast<UnaryOperator>(S);
      U && U->getOpcode() == UO_AddrOf)
    Left = U->getSubExpr();
  const auto *R = dyn_cast_or_null<DeclRefExpr>(Left ? skipNoise(Left) : Left);
  return (R && R->getDecl()->getCanonicalDecl() == V) ||
         llvm::any_of(S->children(),
                      [&](const Stmt *C) { return assigns(C, V); });
}

void PathWalk::smash(const Found &F, QualType T, const Expr *By) {
  const Thing &X = P.thing(F);
  if (X.K == Thing::Context || X.IsSavedData) {
    P.IsLost = true;
  } else if (X.K == Thing::Callable) {
    const Stmt *Body = X.Lambda->getBody();
    const std::map<const ValueDecl *, SlotId> Captured = X.Captured;
    for (const auto &[V, Slot] : Captured) {
      const Found Y{0, Slot};
      const Thing &Of = P.thing(Y);
      if (Of.K == Thing::Context || Of.IsSavedData || Of.K == Thing::Group ||
          assigns(Body, V))
        smash(Y, V->getType(), By);
    }
  } else if (X.K == Thing::Group) {
    P.forgetParts(P.read(F));
  } else if (F.Where != Nowhere) {
    P.Slots[F.Where] = typed(T, By, /*MayBeInput=*/false);
    if (P.Saved.count(F.Where))
      P.IsLost = true;
  }
}

/// A parameter's type as it is written: what `T &&` takes is not changed by the
/// functions of a library, whatever T stands for.
static QualType writtenType(const FunctionDecl *F, unsigned I) {
  if (const FunctionDecl *Pattern = F->getTemplateInstantiationPattern();
      Pattern && Pattern->getNumParams() > 0) {
    const QualType T =
        Pattern->getParamDecl(std::min(I, Pattern->getNumParams() - 1))
            ->getType();
    const auto *Pack = T->getAs<PackExpansionType>();
    return Pack ? Pack->getPattern() : T;
  }
  return I < F->getNumParams() ? F->getParamDecl(I)->getType() : QualType();
}

void PathWalk::escapes(const Call &C) {
  auto Escapes = [&](const Expr *E, QualType To) {
    if (isa<CXXDefaultArgExpr>(E))
      return;
    const Found X = value(E);
    const Thing &T = P.thing(X);
    const bool Writes = (To->isLValueReferenceType() || To->isPointerType()) &&
                        !To->getPointeeType().isConstQualified() &&
                        (X.Where != Nowhere || T.IsSavedData);
    if (Writes || T.K == Thing::Context || T.K == Thing::Callable)
      smash(X, E->getType(), C.E);
  };
  for (unsigned I = 0; I < C.Args.size(); ++I)
    Escapes(C.Args[I],
            C.Callee ? writtenType(C.Callee, I) : C.Args[I]->getType());
}

/// A function of the library that is no operator on tensors.
Found PathWalk::library(const Call &C) {
  if (!carries(C.E))
    return {};
  llvm::SmallVector<const Expr *, 4> Parts;
  for (const Expr *X : C.Args)
    if (!isa<CXXDefaultArgExpr>(X))
      Parts.push_back(X);
  if (semantics::keepsArgumentsInOrder(C))
    return {group(Parts, /*ByPlace=*/false)};
  llvm::erase_if(Parts, [&](const Expr *X) { return !carries(X); });
  if (Parts.size() == 1) // make_optional, toList, Tuple::create
    return {P.copyOf(P.read(value(Parts[0])))};
  if (Parts.empty())
    return {typed(C.E->getType(), C.E, /*MayBeInput=*/false)};
  const ThingId G = group(Parts, /*ByPlace=*/false);
  P.forgetOrder(G);
  return {G};
}

Found PathWalk::construct(const Call &C) {
  const QualType T = C.E->getType();
  if (semantics::isWrapper(T, A.T) || A.T.isTensor(T)) {
    for (const Expr *X : C.Args)
      if (const Thing &Y = P.thing(value(X));
          carries(X) || Y.K == Thing::Callable) {
        const ThingId Copy = P.copyOf(P.read(value(X)));
        if (P.Things[Copy].K == Thing::Group)
          P.Things[Copy].IsShared = true;
        return {Copy};
      }
    return {};
  }
  if (!A.T.carriesTensor(T))
    return {};
  if (semantics::keepsArgumentsInOrder(C))
    return {group(C.Args, /*ByPlace=*/false)};
  ThingId G = 0;
  if (C.Args.empty() || isa<CXXDefaultArgExpr>(C.Args[0])) {
    G = typed(T, nullptr, false);
    P.Things[G].IsOpen = !A.T.isContainer(T); // else empty
  } else {
    // From a list in braces, or from another container.
    const ThingId From = P.read(value(C.Args[0]));
    const bool Takes = P.Things[From].K == Thing::Group &&
                       A.T.isLibrary(C.Callee) && !P.Things[From].IsSavedData;
    if (Takes) {
      G = P.Things[From].IsShared ? P.add(P.Things[From]) : P.copyOf(From);
      if (C.Args.size() > 1 && !isa<CXXDefaultArgExpr>(C.Args[1]))
        P.forgetParts(G);
    } else {
      G = typed(T, nullptr, false);
    }
  }
  P.Things[G].IsShared = semantics::sharesContents(T);
  return {G};
}

void PathWalk::context(const Call &C) {
  const semantics::ContextCall Does = semantics::contextCallOf(C);
  if (Does == semantics::ContextCall::Other || C.Args.empty())
    return;
  std::vector<ThingId> Marked;
  const bool All = P.tensorsIn(P.read(value(C.Args[0])), Marked);
  const bool Dirty = Does == semantics::ContextCall::MarkDirty;
  if (!All && !Dirty)
    P.IsLost = true;
  for (ThingId T : Marked)
    (Dirty ? P.Things[T].IsDirty : P.Things[T].HasNoGradient) = true;
}

Found PathWalk::tensor(const Call &C) {
  llvm::SmallVector<const Expr *, 4> Parts;
  if (C.Object)
    Parts.push_back(C.Object);
  for (const Expr *X : C.Args)
    if (!isa<CXXDefaultArgExpr>(X))
      Parts.push_back(X);
  if (!carries(C.E))
    return {};
  const Identity Is = semantics::identityOf(C);
  const ThingId Self = Parts.empty() ? 0 : P.read(value(Parts[0]));
  if (Is == Identity::Same)
    return Parts.empty() ? Found() : value(Parts[0]);
  const ThingId Id = typed(C.E->getType(), C.E, /*MayBeInput=*/false);
  bool Any = false, AllIntegers = true;
  for (const Expr *X : Parts)
    if (const Thing &T = P.thing(value(X)); carries(X)) {
      Any = true;
      AllIntegers &= T.HasNoGradient;
    }
  const Thing Of = P.Things[Self];
  Thing &R = P.Things[Id];
  R.Op = C.Op;
  R.HasNoGradient = R.K == Thing::Tensor &&
                    (semantics::givesIntegers(C) ||
                     (Any && AllIntegers && !semantics::changesType(C)));
  if (Is == Identity::MayBeSame)
    R.MayBeInput = Of.IsInput || Of.MayBeInput;
  if (Is == Identity::View)
    R.Root = Of.K == Thing::Tensor ? Of.Root : 0;
  return {Id};
}

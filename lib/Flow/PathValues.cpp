//===- PathValues.cpp - What an expression gives on a path ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/PathWalk.h"
#include "Flow/Transfer.h"
#include "Semantics/SavedData.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

Found PathWalk::variable(const ValueDecl *D) {
  D = cast<ValueDecl>(D->getCanonicalDecl());
  for (PathFrame &F : llvm::reverse(P.Frames)) {
    auto It = F.Variables.find(D);
    if (It != F.Variables.end())
      return {P.Slots[It->second], It->second};
  }
  return {};
}

Found PathWalk::value(const Expr *E) {
  E = skipNoise(E);
  if (!E)
    return {};
  auto &Values = P.frame().Values;
  const auto It = Values.find(E);
  return It != Values.end() ? It->second : evaluate(E);
}

ThingId PathWalk::passed(const Expr *E, QualType To) {
  const ThingId T = P.read(value(E));
  return To->isReferenceType() || To->isPointerType() ? T : P.copyOf(T);
}

ThingId PathWalk::typed(QualType T, const Expr *Made, bool MayBeInput) {
  const CXXRecordDecl *R = A.T.pointee(T);
  if (A.T.isIValue(T) || !A.T.carriesTensor(T))
    return 0;
  ThingId Id;
  if (A.T.isTensor(R)) {
    Id = P.addTensor(Made);
    P.Things[Id].MayBeInput = MayBeInput;
    return Id;
  }
  Id = P.add({});
  Thing &X = P.Things[Id];
  X.K = Thing::Group;
  X.IsOpen = true;
  X.IsShared = semantics::sharesContents(T);
  X.Made = Made;
  X.MayBeInput = MayBeInput;
  return Id;
}

/// Parts that are the expressions' values, or the places that they name.
ThingId PathWalk::group(llvm::ArrayRef<const Expr *> Parts, bool ByPlace) {
  Thing T;
  T.K = Thing::Group;
  for (unsigned I = 0; I < Parts.size(); ++I) {
    const Found X = value(Parts[I]);
    T.Parts[PartKey::number(I)] = ByPlace && X.Where != Nowhere
                                      ? X.Where
                                      : P.addSlot(P.copyOf(P.read(X)));
  }
  return P.add(std::move(T));
}

ThingId PathWalk::callable(const LambdaExpr *L) {
  Thing T;
  T.K = Thing::Callable;
  T.Lambda = L;
  for (const LambdaCapture &C : L->captures()) {
    if (!C.capturesVariable())
      continue;
    const auto *V = cast<ValueDecl>(C.getCapturedVar()->getCanonicalDecl());
    Found X = variable(V);
    if (const auto *Var = dyn_cast<VarDecl>(V);
        Var && L->isInitCapture(&C) && Var->getInit())
      X = value(Var->getInit());
    T.Captured[V] = C.getCaptureKind() == LCK_ByRef && X.Where != Nowhere
                        ? X.Where
                        : P.addSlot(P.copyOf(P.read(X)));
  }
  return P.add(std::move(T));
}

Found PathWalk::evaluate(const Expr *E) {
  if (const auto *L = dyn_cast<LambdaExpr>(E))
    return {callable(L)};
  if (const auto *R = dyn_cast<DeclRefExpr>(E))
    return variable(R->getDecl());
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    const auto *F = dyn_cast<FieldDecl>(M->getMemberDecl());
    if (!F)
      return isa<VarDecl>(M->getMemberDecl()) ? variable(M->getMemberDecl())
                                              : Found();
    const Found Base = value(M->getBase());
    if (P.thing(Base).K == Thing::Context)
      return semantics::isSavedData(M) ? Found{P.SavedData} : Found();
    // What a pair or an iterator of the library calls its parts is its own.
    if (A.T.isLibrary(F))
      return {0, Nowhere, P.read(Base)};
    return P.part(P.read(Base), PartKey::field(F), /*Make=*/false);
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E))
    return U->getOpcode() == UO_Deref || U->getOpcode() == UO_AddrOf
               ? value(U->getSubExpr())
               : Found();
  if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
    const auto It = P.frame().Taken.find(C);
    return It == P.frame().Taken.end() ? Found()
           : It->second == 0           ? value(C->getTrueExpr())
                                       : value(C->getFalseExpr());
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E))
    return B->getOpcode() == BO_Comma ? value(B->getRHS())
           : B->isAssignmentOp()      ? value(B->getLHS())
                                      : Found();
  if (const auto *C = dyn_cast<CXXConstructExpr>(E))
    return construct(semantics::classify(C, A.T, A.Names));
  if (const auto *L = dyn_cast<InitListExpr>(E)) {
    const Found Whole{group(L->inits(), /*ByPlace=*/false)};
    const RecordDecl *R = L->getType()->getAsRecordDecl();
    const auto *Class = dyn_cast_or_null<CXXRecordDecl>(R);
    if (!R || (Class && Class->getNumBases()))
      return Whole;
    std::map<PartKey, SlotId> Named;
    unsigned I = 0;
    for (const FieldDecl *F : R->fields())
      if (const Found X = P.part(Whole.What, PartKey::number(I++), false);
          X.Where != Nowhere)
        Named[PartKey::field(F)] = X.Where;
    P.thing(Whole).Parts = std::move(Named);
    return Whole;
  }
  return {};
}

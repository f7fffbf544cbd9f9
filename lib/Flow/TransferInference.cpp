//===- TransferInference.cpp - Tensors of inference mode ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/ModuleBirth.h"
#include "Flow/Transfer.h"
#include "Semantics/Inference.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::Memory;

Birth Transfer::birthOf(const Call &C, llvm::ArrayRef<const Expr *> Parts) {
  const Birth New = Birth::made(S->Grad, C.E);
  const Memory M = semantics::memoryOf(C);
  if (M == Memory::New || Parts.empty())
    return New;
  if (M == Memory::View)
    return carries(Parts.front()) ? read(value(Parts.front())).B
                                  : Birth::unknown();
  Birth B = New;
  for (const Expr *P : Parts)
    if (carries(P))
      B.join(read(value(P)).B);
  return B;
}

void Transfer::meet(Meeting::Kind K, const Expr *E, const Expr *Operand,
                    const Birth &B) {
  if (!Recording || !B.mayBeInference())
    return;
  Meeting M;
  M.K = K;
  M.E = E;
  M.Operand = Operand;
  M.B = B;
  M.Grad = S->Grad;
  Facts.Meetings.push_back(std::move(M));
}

void Transfer::meetSaved(const Call &C, const Storage &Module) {
  if (!Recording || S->Grad.recordsNever())
    return;
  for (const semantics::SavedOperand &X : semantics::savedOperands(C, A.T)) {
    const size_t Before = Facts.Meetings.size();
    meet(Meeting::Saves, C.E, X.Operand,
         X.IsModule ? birthOfModule(X.Operand) : read(value(X.Operand)).B);
    if (Facts.Meetings.size() == Before)
      continue;
    Meeting &M = Facts.Meetings.back();
    for (const Expr *P : X.If)
      M.If.push_back({read(value(P)).H, value(P).Needs});
    M.IfParameters = X.IfParameters;
    M.Module = Module;
  }
}

void Transfer::mayChange(const Expr *P) {
  if (!P || isa<CXXDefaultArgExpr>(P))
    return;
  const QualType T = P->getType();
  if (T->isPointerType() ? T->getPointeeType().isConstQualified()
                         : !P->isGLValue() || T.isConstQualified())
    return;
  const Storage Loc = value(P).Loc;
  // What it makes under inference mode is of the same kind again.
  if (!Loc.valid() || (A.T.isModule(T) && S->Grad.Makes == Birth::Inference))
    return;
  if (A.T.isTensor(T) && !S->Cells.count(Loc)) {
    Cell C = read(Loc);
    C.B = Birth::unknown();
    write(Loc, C, /*Weak=*/false);
  }
  S->forgetBirths(Loc);
}

Birth Transfer::birthOfModule(const Expr *E) {
  E = skipNoise(E);
  const Value V = value(E);
  if (!V.Loc.valid())
    return V.B;
  constexpr size_t Deepest = 1; // fields of fields have no place for it
  if (V.Loc.Path.size() > Deepest)
    return Birth::unknown();
  const auto *C = dyn_cast<CallExpr>(E);
  if (C && semantics::copiesModule(semantics::classify(C, A.T, A.Names)))
    return Birth::unknown();
  return read(parametersOf(V.Loc)).B;
}

Birth Transfer::birthOfModule(const Call &C) {
  if (!A.T.isModule(C.E->getType()))
    return Birth::unknown();
  Birth B = Birth::nothing();
  bool Given = false;
  for (const Expr *P : C.Args)
    if (A.T.isModule(P->getType())) {
      B.join(birthOfModule(P));
      Given = true;
    }
  if (Given)
    return B;
  return semantics::makesModule(C) ? Birth::made(S->Grad, C.E)
                                   : Birth::unknown();
}

Value Transfer::madeModule(const Call &C) {
  Value R;
  R.B = birthOfModule(C);
  return R;
}

void Transfer::keepModule(const Expr *From, const Storage &To) {
  if (!To.valid() || To.Path.size() > 1 || !A.T.isModule(From->getType()))
    return;
  write(parametersOf(To),
        {History::none(), LossShape::other(), birthOfModule(From)},
        /*Weak=*/false);
}

void Transfer::meetOptimizer(const Call &C) {
  const Expr *P = Recording ? semantics::updatedInPlace(C, A.T) : nullptr;
  if (!P)
    return;
  const auto *M = dyn_cast<CXXMemberCallExpr>(skipNoise(P));
  const Expr *Module =
      M && A.T.isModule(M->getImplicitObjectArgument()->getType())
          ? M->getImplicitObjectArgument()
          : nullptr;
  meet(Meeting::Changes, C.E, Module ? Module : P,
       Module ? birthOfModule(Module) : read(value(P)).B);
}

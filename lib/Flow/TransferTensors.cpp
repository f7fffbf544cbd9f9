//===- TransferTensors.cpp - Effects of tensor operators ------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"
#include "Semantics/Inference.h"
#include "Semantics/Losses.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::CallKind;
using semantics::LossKind;
using semantics::LossStep;

LossShape Transfer::shapeOf(const Call &C) {
  llvm::SmallVector<LossShape, 2> Operands;
  auto Add = [&](const Expr *P) {
    if (P && A.T.isTensor(P->getType()))
      Operands.push_back(read(value(P)).Shape);
  };
  Add(C.Object);
  for (const Expr *P : C.Args)
    if (!isa<CXXDefaultArgExpr>(P))
      Add(P);
  // The terms that are mean losses, or may be one for the caller.
  LossShape Losses;
  bool Any = false;
  for (const LossShape &O : Operands)
    if (O.Of || O.Bits & LossShape::Mean) {
      Losses.join(O);
      Any = true;
    }
  const LossStep Does = semantics::lossStepOf(C);
  if (Does == LossStep::Combine) {
    // Weighted terms are no scaling: that would divide all of them.
    for (const LossShape &O : Operands)
      if (O.isUnscaledMean())
        return O;
    if (Any)
      return Losses;
    return Operands.empty() ? LossShape::other() : Operands.front();
  }
  if (Does == LossStep::Scale) {
    LossShape R = Any ? Losses : LossShape::other();
    R.Bits = (R.Bits & ~LossShape::Unscaled) | LossShape::Scaled;
    return R;
  }
  switch (semantics::lossKindOf(C, A.T)) {
  case LossKind::Mean: {
    const bool Scaled = Does == LossStep::Pool && !Operands.empty() &&
                        (Operands.front().Bits & LossShape::Scaled);
    return {uint8_t(LossShape::Mean |
                    (Scaled ? LossShape::Scaled : LossShape::Unscaled))};
  }
  case LossKind::Sum:
    return {LossShape::Sum | LossShape::Unscaled};
  case LossKind::Unreduced:
    return LossShape::other();
  case LossKind::Unknown:
    break;
  }
  return Does == LossStep::Keep && !Operands.empty() ? Operands.front()
                                                     : LossShape::other();
}

bool Transfer::readsGradient(const Stmt *X) const {
  if (!X)
    return false;
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(X))
    if (semantics::classify(M, A.T, A.Names).Kind == CallKind::Gradient)
      return true;
  if (const auto *R = dyn_cast<DeclRefExpr>(X))
    return A.Gradients.contains(R->getDecl());
  return llvm::any_of(X->children(),
                      [&](const Stmt *Y) { return readsGradient(Y); });
}

/// The variable or field that a chain of calls starts from: w in
/// `w.data().view(-1)`.
static const Expr *startOf(const Expr *E) {
  for (;;) {
    E = skipNoise(E);
    if (const auto *M = dyn_cast_or_null<CXXMemberCallExpr>(E))
      E = M->getImplicitObjectArgument();
    else if (const auto *O = dyn_cast_or_null<CXXOperatorCallExpr>(E);
             O && (O->getOperator() == OO_Subscript ||
                   O->getOperator() == OO_Arrow || O->getOperator() == OO_Star))
      E = O->getArg(0);
    else
      return E;
  }
}

void Transfer::stepByHand(const Expr *E, const Expr *To,
                          llvm::ArrayRef<const Expr *> From) {
  if (llvm::none_of(From, [&](const Expr *P) { return readsGradient(P); }))
    return;
  Event *X = record(Event::Step, E);
  if (!X)
    return;
  X->ByHand = true;
  auto Root = [](const Expr *P) -> const ValueDecl * {
    P = startOf(P);
    if (const auto *R = dyn_cast_or_null<DeclRefExpr>(P))
      return R->getDecl();
    const auto *M = dyn_cast_or_null<MemberExpr>(P);
    return M ? M->getMemberDecl() : nullptr;
  };
  const ValueDecl *Written = To ? Root(To) : nullptr;
  std::function<bool(const Stmt *)> ItsOwn = [&](const Stmt *S) {
    if (!S)
      return false;
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(S))
      if (semantics::classify(M, A.T, A.Names).Kind == CallKind::Gradient)
        return Root(M->getImplicitObjectArgument()) == Written;
    return llvm::any_of(S->children(), ItsOwn);
  };
  if (Written && llvm::any_of(From, ItsOwn))
    X->Target = value(startOf(To)).Loc;
}

Value Transfer::tensorOperator(const Call &C) {
  llvm::SmallVector<const Expr *, 4> Parts;
  if (C.Object)
    Parts.push_back(C.Object);
  for (const Expr *P : C.Args)
    if (!isa<CXXDefaultArgExpr>(P))
      Parts.push_back(P);
  const Expr *Self = Parts.empty() ? nullptr : Parts.front();
  const LossShape Shape = shapeOf(C);
  for (const Expr *P : Parts) {
    const auto *M = dyn_cast<MemberExpr>(skipNoise(P));
    const auto *F = M ? dyn_cast<FieldDecl>(M->getMemberDecl()) : nullptr;
    if (F ? A.T.isParameter(F) : value(P).IsLeaf)
      A.ParameterUses.insert(C.E);
  }

  meetSaved(C, {});
  if (C.InPlace && Self) {
    Value To = value(Self);
    if (semantics::countsAsChange(C))
      meet(Meeting::Changes, C.E, Self, read(To).B);
    if (To.IsGradient) {
      if (semantics::scalesInPlace(C)) {
        record(Event::ScaleGrad, C.E);
      } else if (semantics::overwritesWhole(C) || semantics::writesInto(C)) {
        if (Event *X = record(Event::ZeroGrad, C.E))
          X->ByHand = true;
      }
      return To;
    }
    // A step by hand: `w -= lr * w.grad()`.
    stepByHand(C.E, Self, llvm::ArrayRef(Parts).drop_front());
    const bool Part = !To.Loc.valid() && To.View.valid();
    const Storage Target = To.Loc.valid() ? To.Loc : To.View;
    History Given = History::none();
    const Expr *Stored = nullptr;
    for (const Expr *P : llvm::drop_begin(Parts)) {
      if (!carries(P))
        continue;
      History H = read(value(P)).H;
      if (!H.onlyNone() || !Stored)
        Stored = P;
      Given.join(H);
      flow(P, C.E);
      if (Target.valid())
        flowInto(P, Target);
    }
    const bool Records = !C.Op || C.Op->mayHaveHistory(0);
    Given = Records ? Given.through(S->Grad, C.E) : History::none();
    flow(Self, C.E);
    if (!Target.valid()) {
      Value R = To;
      R.H = read(To).H;
      R.B = read(To).B;
      R.H.join(Given);
      R.Shape = Shape;
      return R;
    }
    if (Stored && !Given.onlyNone())
      if (Event *X = record(Event::Store, C.E)) {
        X->How = Part || semantics::writesInto(C) ? Event::InPlace
                                                  : Event::Accumulate;
        X->Stored = Stored;
        X->Target = Target;
        X->H = Given;
        // sums[i] += t
        if (const auto *Sub = dyn_cast<CXXOperatorCallExpr>(skipNoise(Self)))
          if (Sub->getOperator() == OO_Subscript && !Part)
            X->Key = Sub->getArg(1);
      }
    Cell New = read(Target);
    // What has history keeps it, whatever is written into it without.
    New.H.join(Given.onlyNone() && !New.H.onlyNone() ? History::none() : Given);
    New.Shape = Part ? LossShape::other() : Shape;
    write(Target, New, /*Weak=*/Part);
    Value R;
    R.Loc = To.Loc;
    R.View = To.View;
    return R;
  }

  Value R;
  History In = History::none();
  for (const Expr *P : Parts)
    if (carries(P))
      In.join(read(value(P)).H);
  const bool Leaf = semantics::makesLeafByOptions(C);
  if (Leaf)
    In.join(History::leaf());
  // A leaf made by options stays a leaf.
  const bool Factory = llvm::none_of(
      Parts, [&](const Expr *P) { return A.T.carriesTensor(P->getType()); });
  History Out = Factory ? In : In.through(S->Grad, C.E);
  const unsigned Outputs =
      C.Op && !A.T.isTensor(C.E->getType()) ? C.Op->Outputs : 1;
  bool AnyHistory = !C.Op || C.Op->mayHaveHistory(0) || (Factory && Leaf);
  if (Outputs > 1) {
    for (unsigned I = 0; I < Outputs; ++I) {
      R.Elements.push_back({C.Op->mayHaveHistory(I) ? Out : History::none(),
                            LossShape::other(), birthOf(C, Parts)});
      AnyHistory |= C.Op->mayHaveHistory(I);
    }
  }
  R.H = AnyHistory ? Out : History::none();
  R.Shape = Shape;
  R.B = birthOf(C, Parts);
  R.Needs = Factory ? Leaf
                    : C.Op && C.Op->surelyHasHistory(0) &&
                          S->Grad.recordsAlways() &&
                          llvm::any_of(Parts, [&](const Expr *P) {
                            return carries(P) && value(P).Needs;
                          });
  for (const Expr *P : Parts)
    flow(P, C.E, /*Cut=*/!AnyHistory);
  if (Self && C.Op && C.Op->Aliases == semantics::View::Yes) {
    Value Of = value(Self);
    R.View = Of.Loc.valid() ? Of.Loc : Of.View;
  }
  if (semantics::isIndexed(C)) { // x.index({...}) = y writes into x
    Value Of = value(Self);
    R.View = Of.Loc.valid() ? Of.Loc : Of.View;
  }
  return R;
}

Value Transfer::backward(const Call &C) {
  const Expr *Receiver = C.Object         ? C.Object
                         : C.Args.empty() ? nullptr
                                          : C.Args[0];
  if (!Receiver)
    return {};
  Value V = value(Receiver);
  Cell Loss = read(V);
  flow(FlowNode::of(skipNoise(Receiver)), FlowNode::backward());
  if (Event *X = record(Event::Backward, C.E)) {
    X->Target = V.Loc;
    X->H = Loss.H;
    X->Shape = Loss.Shape;
    X->Stored = Receiver;
    X->HasGradient = semantics::gradientArgument(C) != nullptr;
    X->RetainsGraph = semantics::retainsGraph(C, A.Context).value_or(true) ||
                      semantics::createsGraph(C, A.Context).value_or(true);
  }
  // Whatever it was made of: it had history, or this would throw.
  if (C.Object && V.Loc.valid() && !Loss.H.has(Atom::Live)) {
    Loss.H = History::live(C.E);
    write(V.Loc, Loss, /*Weak=*/false);
  }
  return {};
}

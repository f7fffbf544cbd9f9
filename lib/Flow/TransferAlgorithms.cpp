//===- TransferAlgorithms.cpp - Standard algorithms as loops --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;

Value Transfer::algorithm(const Call &C) {
  using semantics::AlgorithmKind;
  const AlgorithmKind Kind = semantics::algorithmKind(C);
  llvm::SmallVector<const Expr *, 6> Args;
  for (const Expr *P : C.Args)
    if (!isa<CXXDefaultArgExpr>(P) &&
        !semantics::isExecutionPolicy(P->getType()))
      Args.push_back(P);
  Value R;
  R.H = History::none();
  Value Sink;
  const Expr *First = Args.empty() ? nullptr : Args[0];
  const bool Folds = Kind == AlgorithmKind::Fold;
  const bool Binary = Kind == AlgorithmKind::Map && Args.size() >= 5;
  const Expr *Init = Folds && Args.size() > 2 ? Args[2] : nullptr;
  for (const Expr *P : Args) {
    Value V = value(P);
    if (V.Inserter)
      Sink = V;
    if (Folds && carries(P)) {
      R.H.join(read(V).H.through(S->Grad, C.E));
      flow(P, C.E);
    }
  }
  if (Folds && First) {
    Value V = value(First);
    R.H.join(read(V).H.through(S->Grad, C.E));
    flowOut(V.Loc, C.E);
  }
  History Produced;
  Birth Born = Birth::nothing();
  const Expr *ProducedBy = nullptr;
  bool Called = false;
  for (const Expr *P : Args)
    for (const FunctionDecl *F : A.Funcs.callables(P)) {
      const FunctionDecl *D = A.Funcs.definition(F);
      if (!D)
        continue;
      llvm::SmallVector<const Expr *, 2> Passed;
      if (Folds)
        Passed = {Init, First};
      else if (Binary)
        Passed = {First, Args[2]};
      else if (Kind != AlgorithmKind::Generate)
        Passed = {First, First};
      Value X = enter(D, C.E, nullptr, Passed, CallSite::Algorithm);
      Produced.join(read(X).H);
      Born.join(read(X).B);
      ProducedBy = P;
      Called = true;
      if (!Folds)
        continue;
      R.H.join(Produced);
      if (D->getNumParams() == 2 &&
          A.Flow.connects(FlowNode::of(D->getParamDecl(0)),
                          FlowNode::ofReturn(D)))
        if (Event *Y = record(Event::Store, C.E)) {
          Y->How = Event::Accumulate;
          Y->Stored = P;
          Y->H = Produced;
          Y->Algorithm = C.E;
          Y->IsFold = true;
        }
    }
  if (!Called && First) { // copy, move
    Value V = value(First);
    Produced = read(V).H;
    Born = read(V).B;
    ProducedBy = First;
  }
  if (Sink.Loc.valid() && ProducedBy) {
    if (Event *X = record(Event::Store, C.E)) {
      X->How = Event::Insert;
      X->Stored = ProducedBy;
      X->Target = Sink.Loc;
      X->H = Produced;
      X->Algorithm = C.E;
    }
    if (auto To = nodeOf(Sink.Loc)) {
      flow(FlowNode::of(skipNoise(C.E)), *To); // returns end at the call
      if (!Called && First && value(First).Loc.valid())
        if (auto From = nodeOf(value(First).Loc))
          flow(*From, *To);
    }
    write(Sink.Loc, {Produced, LossShape::other(), Born}, /*Weak=*/true);
  } else if (Kind == AlgorithmKind::Map || Kind == AlgorithmKind::Copy ||
             Kind == AlgorithmKind::Generate) {
    // Into elements that are there already.
    const Expr *Out = Kind == AlgorithmKind::Generate    ? First
                      : Args.size() > (Binary ? 3u : 2u) ? Args[Binary ? 3 : 2]
                                                         : nullptr;
    if (Out) {
      Value V = value(Out);
      if (V.Loc.valid() && !Produced.empty()) {
        if (auto To = nodeOf(V.Loc))
          flow(FlowNode::of(skipNoise(C.E)), *To);
        write(V.Loc, {Produced, LossShape::other(), Born}, /*Weak=*/true);
        if (Produced.onlyNone())
          if (Event *X = record(Event::Bound, C.E))
            X->Target = V.Loc; // each of them
      }
    }
  }
  return R;
}

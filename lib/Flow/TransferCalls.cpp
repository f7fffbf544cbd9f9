//===- TransferCalls.cpp - Effects of calls -------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"
#include "Semantics/Inference.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::CallKind;
using semantics::GuardKind;

/// The string in `curves["loss"]`.
static std::optional<StringRef> literalKey(const Call &C) {
  const Expr *Key = semantics::subscriptKey(C);
  if (!Key)
    return std::nullopt;
  Key = skipNoise(Key);
  while (const auto *X = dyn_cast<CXXConstructExpr>(Key)) {
    if (X->getNumArgs() == 0)
      return std::nullopt;
    Key = skipNoise(X->getArg(0));
  }
  const auto *S = dyn_cast<StringLiteral>(Key);
  if (!S || S->getCharByteWidth() != 1)
    return std::nullopt;
  return S->getString();
}

Value Transfer::call(const Expr *E) {
  const Call C = semantics::classify(E, A.T, A.Names);
  // `torch::NoGradGuard();` guards nothing.
  if (isa<CXXConstructExpr>(E)) {
    const GuardKind K = A.T.guardKind(E->getType());
    if (K != GuardKind::None) {
      const Stmt *P = E;
      while (P && isa<Expr>(P))
        P = Facts.Shape->parent(P);
      if (isa_and_nonnull<CompoundStmt>(P) && K != GuardKind::State)
        record(Event::LostGuard, E);
      return {};
    }
  }
  // std::function, function pointers and what else holds a callable.
  const bool Wrapper = semantics::callsItsObject(C) &&
                       A.T.isCallableWrapper(C.Object->getType());
  if (Wrapper || !C.Callee) {
    const Expr *Called = Wrapper            ? C.Object
                         : isa<CallExpr>(E) ? cast<CallExpr>(E)->getCallee()
                                            : nullptr;
    Value R;
    bool Any = false;
    for (const FunctionDecl *F : A.Funcs.callables(Called))
      if (const FunctionDecl *D = A.Funcs.definition(F)) {
        Value X = enter(D, E, nullptr, C.Args, CallSite::Direct);
        if (Any) {
          R.H.join(X.H);
          R.Shape.join(X.Shape);
          R.B.join(X.B);
          R.Needs &= X.Needs;
        } else {
          R = X;
        }
        Any = true;
      }
    if (Wrapper && A.T.isPackagedTask(C.Object->getType()) && Recording)
      flow(FlowNode::of(skipNoise(E)), FlowNode::escape()); // to the future
    return Any ? R : opaque(C);
  }

  switch (C.Kind) {
  case CallKind::Opaque:
    return opaque(C);
  case CallKind::User:
    return user(C);
  case CallKind::Look:
    if (semantics::asksForGradients(C))
      record(Event::NeedsGrad, E);
    for (const Expr *P : C.Args) // torch::load(x, file), std::swap(x, y)
      mayChange(P);
    if (semantics::mayMoveParameters(C))
      mayChange(C.Object);
    if (semantics::replacesData(C) && value(C.Object).IsGradient)
      if (Event *X = record(Event::ZeroGrad, E))
        X->ByHand = true;
    return madeModule(C);
  case CallKind::Through: {
    if (semantics::isAssignment(C)) {
      assign(E, C.Object, C.Args[0]);
      return value(C.Object);
    }
    meetOptimizer(C);
    if (!carries(E))
      return madeModule(C);
    llvm::SmallVector<const Expr *, 4> Parts(C.Args.begin(), C.Args.end());
    if (C.Object)
      Parts.push_back(C.Object);
    if (semantics::renewsArguments(C))
      for (const Expr *P : C.Args)
        if (Storage Loc = value(P).Loc; Loc.valid())
          if (Event *X = record(Event::Bound, E))
            X->Target = Loc;
    Value R = joinOf(Parts, E);
    if (semantics::makesTuple(C) ||
        (isa<CXXConstructExpr>(E) &&
         A.T.partsOf(E->getType()).size() == C.Args.size()))
      R.Elements = partsFrom(C.Args);
    return R;
  }
  case CallKind::Access: {
    Value O = value(C.Object);
    if (carries(E))
      flow(C.Object, E);
    if (O.Loc.valid()) {
      Value R;
      R.Loc = O.Loc;
      R.NamesOnly = O.NamesOnly;
      R.IsParameter = O.IsParameter;
      R.IsLeaf = O.IsParameter && A.T.isTensor(E->getType());
      // curves["loss"] and curves["accuracy"] are two things.
      if (auto Key = literalKey(C))
        R.Loc = O.Loc.key(*Key);
      return R;
    }
    O.View = {};
    return O;
  }
  case CallKind::Same: {
    Value R = value(C.Args[0]);
    // A container that is moved from starts anew.
    if (semantics::isMove(C) && A.T.isContainer(C.Args[0]->getType()))
      if (Event *X = record(Event::Bound, E))
        X->Target = R.Loc;
    if (carries(E))
      flow(C.Args[0], E);
    if (auto I = semantics::tupleIndex(C)) {
      if (*I < R.Elements.size()) {
        const Cell Part = R.Elements[*I];
        R.H = Part.H;
        R.Shape = Part.Shape;
        R.B = Part.B;
        R.Elements.clear();
      } else if (R.Loc.valid()) {
        R.Loc = partOf(R.Loc, C.Args[0]->getType(), *I);
      }
    }
    return R;
  }
  case CallKind::Operator:
    if (semantics::isAssignment(C)) {
      assign(E, C.Object, C.Args[0]);
      return value(C.Object);
    }
    return tensorOperator(C);
  case CallKind::Detach: {
    Value R;
    R.H = History::none();
    const Expr *From = C.Object         ? C.Object
                       : C.Args.empty() ? nullptr
                                        : C.Args[0];
    if (From) {
      R.Shape = read(value(From)).Shape;
      R.B = birthOf(C, {From});
      flow(From, E, /*Cut=*/true);
    }
    return R;
  }
  case CallKind::DetachInPlace: {
    Value O = value(C.Object);
    Cell Old = read(O);
    if (Event *X = record(Event::Bound, E))
      X->Target = O.Loc;
    write(O.Loc, {History::none(), Old.Shape, Old.B}, /*Weak=*/false);
    flow(C.Object, E, /*Cut=*/true);
    O.H = History::none();
    O.B = Old.B;
    O.Needs = false;
    return O;
  }
  case CallKind::Gradient: {
    Value R;
    R.H = History::none();
    R.IsGradient = true;
    return R;
  }
  case CallKind::MakeLeaf: {
    record(Event::NeedsGrad, E);
    const Expr *Sure = semantics::madeToRequireGrad(C, A.T, A.Context);
    if (Sure)
      meet(Meeting::Requires, E, Sure, read(value(Sure)).B);
    Value R = C.Object && A.T.isTensor(C.Object->getType()) ? value(C.Object)
                                                            : Value();
    R.Needs = Sure;
    if (R.Loc.valid()) {
      Cell Old = read(R.Loc);
      if (Old.H.onlyNone() || !Old.H.has(Atom::Live))
        Old.H = History::leaf();
      write(R.Loc, Old, /*Weak=*/false);
      if (const VarDecl *V = tracked(R.Loc); V && Sure)
        S->Needs.insert(V);
    } else {
      R.H = History::leaf();
    }
    flow(C.Object, E);
    return R;
  }
  case CallKind::StopGrad: {
    Value O = value(C.Object);
    if (Event *X = record(Event::Freeze, E))
      X->Target = O.Loc;
    if (const auto *V = dyn_cast_or_null<VarDecl>(O.Loc.Root))
      S->Needs.erase(V);
    O.Needs = false;
    flow(C.Object, E);
    return O;
  }
  case CallKind::Backward:
    return backward(C);
  case CallKind::AutogradGrad: {
    Event *X = record(Event::NeedsGrad, E);
    Value R;
    if (!C.Args.empty()) {
      flow(FlowNode::of(skipNoise(C.Args[0])), FlowNode::backward());
      const History Of = read(value(C.Args[0])).H; // records the edges below
      if (X) {
        X->Stored = C.Args[0];
        X->H = Of;
      }
    }
    auto Creates = semantics::createsGraph(C, A.Context);
    R.H = !Creates   ? History::unknown()
          : *Creates ? History::leaf().through(S->Grad, E)
                     : History::none();
    return R;
  }
  case CallKind::Forward:
    return forward(C);
  case CallKind::Step:
  case CallKind::ZeroGrad: {
    if (Event *X =
            record(C.Kind == CallKind::Step ? Event::Step : Event::ZeroGrad, E))
      X->Target = C.Object ? value(C.Object).Loc : Storage();
    // An optimizer turns grad mode on for its closure.
    const Mode Outside = S->Grad;
    if (!Outside.has(Mode::Inference))
      S->Grad = Mode::of(Mode::On).inside(Outside);
    for (const Expr *Arg : C.Args)
      for (const FunctionDecl *F : A.Funcs.callables(Arg))
        if (const FunctionDecl *D = A.Funcs.definition(F))
          enter(D, E, nullptr, {}, CallSite::Direct);
    S->Grad = Outside;
    return {};
  }
  case CallKind::Train:
  case CallKind::Eval:
    if (Event *X =
            record(C.Kind == CallKind::Eval ? Event::Eval : Event::Train, E))
      X->Target = value(C.Object).Loc;
    return value(C.Object);
  case CallKind::Parameters: {
    Value R = value(C.Object);
    R.H = History();
    R.NamesOnly = true;
    R.IsParameter |= semantics::listsParameters(C);
    return R;
  }
  case CallKind::SetGradMode:
    setGradMode(C);
    return {};
  case CallKind::GetGradMode: {
    Value R;
    R.SavedMode = S->Grad;
    return R;
  }
  case CallKind::Insert:
    return insert(C);
  case CallKind::Bound: {
    Value O = value(C.Object);
    if (O.IsGradient) {
      if (Event *X = record(Event::ZeroGrad, E))
        X->ByHand = true;
      return {};
    }
    if (A.T.guardKind(C.Object->getType()) != GuardKind::None) {
      if (const auto *V = dyn_cast_or_null<VarDecl>(O.Loc.Root))
        endOfLife(V);
      return {};
    }
    if (Event *X = record(Event::Bound, E))
      X->Target = O.Loc;
    if (semantics::swapsContents(C))
      if (Storage Other = value(C.Args[0]).Loc; Other.valid())
        if (Event *X = record(Event::Bound, E))
          X->Target = Other;
    if (semantics::leavesEmpty(C))
      write(O.Loc, {History::none(), LossShape::other(), Birth::nothing()},
            /*Weak=*/false);
    return {};
  }
  case CallKind::Assign: {
    Value O = value(C.Object);
    if (A.T.guardKind(C.Object->getType()) != GuardKind::None) {
      if (const auto *V = dyn_cast_or_null<VarDecl>(O.Loc.Root)) {
        S->Saved.try_emplace(V, S->Grad);
        S->Grad = underHandle(C.Object->getType(), C.Args, E);
      }
      return {};
    }
    for (const Expr *Arg : C.Args)
      if (carries(Arg)) {
        flowInto(Arg, O.Loc);
        const Cell New = read(value(Arg));
        write(O.Loc, New, /*Weak=*/false);
        if (Event *X = record(Event::Store, E)) {
          X->How = Event::Rebind;
          X->Stored = Arg;
          X->Target = O.Loc;
          X->H = New.H;
        }
      }
    return {};
  }
  case CallKind::Launch:
    return launch(C);
  case CallKind::Algorithm:
    return algorithm(C);
  case CallKind::BackInserter: {
    Value R = value(C.Args[0]);
    R.Inserter = true;
    return R;
  }
  case CallKind::Tie:
    return {};
  }
  return {};
}

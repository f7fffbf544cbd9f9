//===- TransferUser.cpp - Calls into the user's code ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Questions.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;

std::unique_ptr<CallSite> Transfer::bind(const FunctionDecl *Callee,
                                         const Expr *E, const Expr *Object,
                                         llvm::ArrayRef<const Expr *> Args,
                                         CallSite::Kind K, bool IsForward) {
  auto Site = std::make_unique<CallSite>();
  Site->K = K;
  Site->Caller = Facts.F;
  Site->Callee = Callee;
  Site->E = E;
  Site->Grad = Site->crossesThreads() ? Mode::of(Mode::On) : S->Grad;
  Site->IsForward = IsForward;
  const auto *Method = dyn_cast<CXXMethodDecl>(Callee);
  Site->SameThis = Method && Method->getParent()->isLambda();
  if (Object && !Site->SameThis)
    Site->This = value(Object).Loc;
  for (unsigned I = 0; I < Callee->getNumParams() && I < Args.size(); ++I) {
    const ParmVarDecl *P = Callee->getParamDecl(I);
    CallSite::Binding B;
    B.Passed.H = History::none();
    B.Passed.Shape = LossShape::other();
    if (Args[I] && !isa<CXXDefaultArgExpr>(Args[I])) {
      Value V = value(Args[I]);
      B.Passed = read(V);
      if (A.T.isHandle(P->getType()) || A.T.isModule(P->getType()))
        B.Loc = V.Loc;
    }
    Site->Parameters[cast<ValueDecl>(P->getCanonicalDecl())] = B;
  }
  Site->Before = std::make_shared<State>(*S);
  return Site;
}

void Transfer::connect(const CallSite &Site, const Expr *Object,
                       llvm::ArrayRef<const Expr *> Args) {
  const FunctionDecl *Callee = Site.Callee;
  if (Object && !Site.SameThis && A.T.carriesTensor(Object->getType())) {
    FlowEdge In{FlowNode::of(cast<ValueDecl>(Callee))};
    In.Crossing = FlowEdge::Enter;
    In.Site = &Site;
    Object = skipNoise(Object);
    A.Flow.own(Object, Facts.F);
    A.Flow.add(FlowNode::of(Object), In);
  }
  for (unsigned I = 0; I < Callee->getNumParams() && I < Args.size(); ++I) {
    const ParmVarDecl *P = Callee->getParamDecl(I);
    const Expr *Arg = Args[I] ? skipNoise(Args[I]) : nullptr;
    if (!Arg || isa<CXXDefaultArgExpr>(Arg) || !A.T.carriesTensor(P->getType()))
      continue;
    FlowEdge In{FlowNode::of(P)};
    In.Crossing = FlowEdge::Enter;
    In.Site = &Site;
    In.Forward = Site.IsForward;
    A.Flow.own(Arg, Facts.F);
    A.Flow.add(FlowNode::of(Arg), In);
    // What is written through a reference comes back.
    const Storage &Loc = Site.Parameters.find(P)->second.Loc;
    const QualType T = P->getType();
    const bool Writable = (T->isReferenceType() || T->isPointerType())
                              ? !T->getPointeeType().isConstQualified()
                              : A.T.isHandle(T);
    if (auto N =
            Loc.valid() && Writable ? nodeOf(Loc) : std::optional<FlowNode>()) {
      FlowEdge Out{*N};
      Out.Crossing = FlowEdge::Exit;
      Out.Site = &Site;
      A.Flow.add(FlowNode::of(P), Out);
    }
  }
  const Expr *Result = skipNoise(Site.E);
  FlowEdge Back{FlowNode::of(Result)};
  Back.Crossing = FlowEdge::Exit;
  Back.Site = &Site;
  Back.Forward = Site.IsForward;
  A.Flow.own(Result, Facts.F);
  A.Flow.add(FlowNode::ofReturn(Callee), Back);
}

Value Transfer::enter(const FunctionDecl *Callee, const Expr *E,
                      const Expr *Object, llvm::ArrayRef<const Expr *> Args,
                      CallSite::Kind K, bool IsForward) {
  const FunctionFacts &Sum = A.facts(Callee);
  if (Sum.Status == FunctionFacts::Skipped)
    return unseen(E, Object, Args);
  auto Site = bind(Callee, E, Object, Args, K, IsForward);
  Value R;
  if (Sum.Status == FunctionFacts::InProgress) { // recursion
    R.H = History::unknown();
  } else {
    Cell Returned = A.atCall(*Site, Sum.Returned);
    R.H = Returned.H;
    R.Shape = Returned.Shape;
    R.B = Returned.B;
    R.Needs = Sum.ReturnsNeed.value_or(false) && S->Grad.recordsAlways();
    for (const Cell &Part : Sum.ReturnedElements)
      R.Elements.push_back(A.atCall(*Site, Part));
    if (Sum.ReturnedLoc.valid()) {
      R.Loc = Site->toCaller(Sum.ReturnedLoc);
      if (R.Loc.valid())
        R.H = History();
    }
    std::vector<std::pair<Storage, Cell>> Writes;
    for (const auto &[X, C] : Sum.Writes) {
      Storage Here = Site->toCaller(X);
      if (Here.valid())
        Writes.emplace_back(Here, A.atCall(*Site, C));
    }
    for (auto &[X, C] : Writes)
      write(X, std::move(C), /*Weak=*/K != CallSite::Direct);
    if (K == CallSite::Direct || K == CallSite::Algorithm)
      S->Grad = Sum.Exit.substitute(S->Grad);
  }
  if (!Recording)
    return R;
  connect(*Site, Object, Args);
  A.Flow.addCaller(Callee, Site.get());
  Facts.Calls.push_back(std::move(Site));
  return R;
}

void Transfer::noteElsewhere(const FunctionDecl *Callee, const Call &C,
                             bool IsForward) {
  if (!Recording || !A.Opts.Links || !mayBeElsewhere(Callee))
    return;
  auto Site = bind(Callee->getCanonicalDecl(), C.E, C.Object, C.Args,
                   CallSite::Direct, IsForward);
  connect(*Site, C.Object, C.Args);
  Facts.Elsewhere.push_back(std::move(Site));
}

bool Transfer::mayBeElsewhere(const FunctionDecl *F) const {
  return F && !A.T.isLibrary(F) && F->isExternallyVisible() &&
         !F->isDependentContext() && !F->isTemplateInstantiation();
}

Value Transfer::opaque(const Call &C) {
  noteElsewhere(C.Callee, C, /*IsForward=*/false);
  const llvm::SaveAndRestore Note(UnseenCallee,
                                  A.Opts.Links && mayBeElsewhere(C.Callee)
                                      ? C.Callee->getCanonicalDecl()
                                      : nullptr);
  return unseen(C.E, C.Object, C.Args);
}

Value Transfer::user(const Call &C) {
  // Its body would be clang's own.
  if (semantics::isAssignment(C) && C.Callee->isDefaulted()) {
    assign(C.E, C.Object, C.Args[0]);
    return value(C.Object);
  }
  Functions::Targets Targets;
  if (const FunctionDecl *D = A.Funcs.definition(C.Callee))
    Targets.push_back(D);
  bool Unseen = Targets.empty();
  if (const auto *M = dyn_cast<CXXMethodDecl>(C.Callee); M && M->isVirtual()) {
    for (const FunctionDecl *O : A.Funcs.overriders(M))
      Targets.push_back(O);
    Unseen &= Targets.empty();
  }
  if (isa<CXXConstructExpr>(C.E) && Targets.empty()) {
    // An implicit or aggregate constructor keeps its arguments.
    Value Kept = joinOf(C.Args, C.E);
    if (A.T.isModule(C.E->getType()))
      Kept.B = Birth::made(S->Grad, C.E);
    return Kept;
  }
  if (Unseen)
    return opaque(C);
  Value R;
  bool First = true;
  const Mode Before = S->Grad;
  for (const FunctionDecl *D : Targets) {
    Value X = enter(D, C.E, C.Object, C.Args, CallSite::Direct);
    if (First)
      R = std::move(X);
    else {
      R.H.join(X.H);
      R.Shape.join(X.Shape);
      R.B.join(X.B);
      R.Needs &= X.Needs;
      R.Loc = {};
    }
    First = false;
  }
  if (const auto *Made = dyn_cast<CXXConstructExpr>(C.E)) {
    constructed(Made, Before);
    Value Kept = joinOf(C.Args, C.E);
    // Of others the constructor may put anything there.
    Kept.B = A.T.isModule(C.E->getType()) ? Birth::made(Before, C.E)
                                          : Birth::unknown();
    return Kept;
  }
  // A method of a module that gives a tensor with history is a forward under
  // another name, seen from outside the module.
  if (C.Object && A.T.isModule(C.Object->getType()) &&
      !isa<CXXThisExpr>(skipNoise(C.Object)) && carries(C.E) &&
      R.H.has(Atom::Live)) {
    if (Event *X = record(Event::Forward, C.E)) {
      X->Target = value(C.Object).Loc;
      X->H = R.H;
      for (auto &Site : Facts.Calls)
        if (Site->E == C.E)
          Site->IsForward = true;
    }
  }
  return R;
}

Value Transfer::unseen(const Expr *E, const Expr *Object,
                       llvm::ArrayRef<const Expr *> Args) {
  if (Event *X = record(Event::Unseen, E))
    X->Callee = UnseenCallee;
  auto Leak = [&](const Expr *P) {
    if (!P || isa<CXXDefaultArgExpr>(P))
      return;
    // Who gets the old grad mode may put it back.
    if (P->getType()->isBooleanType() && value(P).SavedMode)
      S->Grad = Mode::of(Mode::Unknown).inside(S->Grad);
    mayChange(P);
    if (!carries(P))
      return;
    // It may turn a tensor without history into a leaf.
    if (const Value V = value(P); V.Loc.valid()) {
      Cell Known = read(V);
      if (Known.H.onlyNone() && !(Known.H == History::none())) {
        Known.H.join(History::unknown());
        write(V.Loc, Known, /*Weak=*/false);
      }
    }
    leaks(P);
    // What comes back may be made of it: a loss of its targets.
    if (carries(E))
      flow(FlowNode::of(skipNoise(P)), FlowNode::of(E), /*Cut=*/true);
  };
  for (const Expr *P : Args)
    Leak(P);
  Leak(Object);
  Value R;
  if (carries(E))
    R.H = History::unknown();
  return R;
}

Value Transfer::launch(const Call &C) {
  const CallSite::Kind K = C.Where == semantics::Launcher::Team ? CallSite::Team
                           : C.Where == semantics::Launcher::Task
                               ? CallSite::Task
                               : CallSite::Thread;
  Value R;
  if (carries(C.E))
    R.H = History::unknown();
  for (unsigned I = 0; I < C.Args.size(); ++I) {
    Functions::Targets Targets = A.Funcs.callables(C.Args[I]);
    if (Targets.empty())
      continue;
    llvm::SmallVector<const Expr *, 4> Rest(C.Args.begin() + I + 1,
                                            C.Args.end());
    for (const FunctionDecl *F : Targets) {
      const FunctionDecl *D = A.Funcs.definition(F);
      if (!D)
        continue;
      const auto *M = dyn_cast<CXXMethodDecl>(D);
      const bool Member = M && !M->isStatic() && !M->getParent()->isLambda() &&
                          !Rest.empty(); // else bound to the callable
      Value X = enter(D, C.E, Member ? Rest.front() : nullptr,
                      llvm::ArrayRef(Rest).drop_front(Member), K);
      if (A.T.isPackagedTask(C.Args[I]->getType()))
        flow(FlowNode::ofReturn(D), FlowNode::escape()); // to the future
      if (carries(C.E))
        R = X;
    }
    return R;
  }
  return opaque(C);
}

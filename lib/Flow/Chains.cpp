//===- Chains.cpp - Events in their calling contexts ----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Chains.h"
#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"

using namespace clang;
using namespace torchtidy::flow;

/// Ways to call a function, and calls on one way, that are followed.
static constexpr size_t MaxChains = 64, MaxFrames = 10;

/// The object that a forward is called on.
static const Expr *moduleOf(const Expr *Forward) {
  if (const auto *M = dyn_cast<CXXMemberCallExpr>(Forward))
    return M->getImplicitObjectArgument();
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(Forward))
    return O->getArg(0);
  return nullptr;
}

void Chains::addUnseen(const Stmt *S) {
  if (!S)
    return;
  const ValueDecl *D = nullptr;
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    D = R->getDecl();
  else if (const auto *M = dyn_cast<MemberExpr>(S))
    D = M->getMemberDecl();
  else if (const auto *C = dyn_cast<CXXConstructExpr>(S))
    D = C->getConstructor();
  if (const auto *F = dyn_cast_or_null<FunctionDecl>(D))
    CalledUnseen.insert(F->getCanonicalDecl());
  else if (D) // whatever it does with fields and globals
    A.Flow.add(FlowNode::of(D), FlowEdge{FlowNode::escape()});
  for (const Stmt *C : S->children())
    addUnseen(C);
}

Chains::Chains(Analysis &A) : A(A), Others(A) {
  for (const FunctionDecl *F : A.Funcs.all())
    if (const FunctionFacts *X = A.known(F)) {
      if (X->Status == FunctionFacts::Done)
        Own.push_back(X);
      else
        addUnseen(F->getBody());
    }
  All = Own;
  llvm::append_range(All, A.foreign());
  for (const FunctionFacts *X : All)
    for (const Event &E : X->Events)
      if (E.K == Event::Backward)
        for (const Chain &C : of(X->F))
          Others.learn(E, *X, C);
  for (const FunctionFacts *X : All)
    for (const Event &E : X->Events)
      if (E.K == Event::Backward && !E.RetainsGraph) {
        BackwardOrigins.insert(E.E);
        for (const Atom &At : E.H.atoms())
          if (At.K == Atom::Live)
            BackwardOrigins.insert(At.Origin);
        // A loss that came as an argument: what the callers pass.
        for (const Chain &C : of(X->F)) {
          const Cell Loss = value({E.H, {}}, X->F, C);
          for (const Atom &At : Loss.H.atoms())
            if (At.K == Atom::Live)
              BackwardOrigins.insert(At.Origin);
        }
      }
  // What a forward is made of inside is spent with it.
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const FunctionFacts *X : All)
      for (const auto &Site : X->Calls) {
        if (!Site->IsForward || !BackwardOrigins.contains(Site->E))
          continue;
        if (const FunctionFacts *Callee = A.known(Site->Callee))
          for (const Atom &At : Callee->Returned.H.atoms())
            if (At.K == Atom::Live)
              Changed |= BackwardOrigins.insert(At.Origin).second;
      }
  }
  findFrozen();
}

const std::vector<Chain> &Chains::of(const FunctionDecl *F) const {
  const auto [It, New] = Known.try_emplace(F->getCanonicalDecl());
  std::vector<Chain> &Result = It->second;
  if (!New)
    return Result;
  Chain Path;
  llvm::SmallPtrSet<const FunctionDecl *, 8> Active;
  size_t Ways = 0;
  bool TooMany = false, TooDeep = false;
  std::function<void(const FunctionDecl *)> Up = [&](const FunctionDecl *G) {
    if (Ways == MaxChains) {
      TooMany = true;
      return;
    }
    Active.insert(G->getCanonicalDecl());
    bool Any = false;
    for (const CallSite *S : A.Flow.callers(G)) {
      if (TooMany || Active.count(S->Caller->getCanonicalDecl()))
        continue;
      Any = true;
      if (Path.size() == MaxFrames) {
        // Who is further out may hold a guard: nothing is known of this way.
        TooDeep = true;
        ++Ways;
        break;
      }
      Path.push_back(S);
      Up(S->Caller);
      Path.pop_back();
    }
    Active.erase(G->getCanonicalDecl());
    if (!Any) {
      Result.push_back(Path);
      ++Ways;
    }
  };
  Up(F);
  if (TooMany)
    limited(F, "there are more than " + std::to_string(MaxChains) +
                   " ways to call it; the others were not judged");
  if (TooDeep)
    limited(F, "calls more than " + std::to_string(MaxFrames) +
                   " deep lead to it; these were not judged");
  return Result;
}

void Chains::limited(const FunctionDecl *F, const std::string &Why) const {
  if (llvm::none_of(Limits,
                    [&](const auto &Known) { return Known.first == F; }))
    Limits.emplace_back(F, Why);
}

Mode Chains::entryMode(const FunctionDecl *Root) const {
  if (const FunctionFacts *X = A.known(Root); X && X->Foreign)
    return X->Entry;
  return isCalledUnseen(Root) ? Mode::of(Mode::Unknown) : Others.entry(Root);
}

Mode Chains::mode(Mode Here, const FunctionDecl *F, const Chain &C) const {
  for (const CallSite *S : C)
    Here = Here.substitute(S->Grad);
  return Here.substitute(entryMode(root(F, C)));
}

History Chains::fieldHistory(const FieldDecl *F) const {
  History H = History::unknown();
  if (F->hasInClassInitializer() && F->getInClassInitializer() &&
      semantics::requiresGradOption(F->getInClassInitializer()))
    H.add({Atom::Leaf});
  for (const FunctionFacts *X : All)
    for (const auto &[S, C] : X->Writes)
      if (S.lastField() == F)
        for (const Atom &At : C.H.atoms())
          if (At.K == Atom::Leaf || (At.K == Atom::Live && !At.IfGrad))
            H.add(At);
  return H;
}

Cell Chains::value(Cell Here, const FunctionDecl *F, const Chain &C) const {
  for (const CallSite *S : C)
    Here = A.atCall(*S, Here);
  const Mode Entry = entryMode(root(F, C));
  Here.H = Here.H.substitute(Entry, [&](const Storage &S) {
    const FieldDecl *Field = S.lastField();
    return Field ? fieldHistory(Field) : History::unknown();
  });
  if (Here.Shape.Of) {
    Here.Shape.Bits |= LossShape::Other;
    Here.Shape.Of.reset();
  }
  return Here;
}

const FunctionFacts *Chains::frame(unsigned I, const FunctionDecl *F,
                                   const Chain &C) const {
  return A.known(I == 0 ? F : C[I - 1]->Caller);
}

Chains::Home Chains::home(const Storage &S, const FunctionDecl *F,
                          const Chain &C) const {
  Home H;
  Storage Name = S;
  for (unsigned I = 0;; ++I) {
    H.Frame = I;
    H.Here = Name;
    H.Names.push_back(Name);
    const FunctionFacts *X = frame(I, F, C);
    if (!Name.valid() || !X)
      return H;
    if (X->isLocal(Name)) {
      H.Local = true;
      return H;
    }
    if (I == C.size())
      return H;
    Name = C[I]->toCaller(Name);
  }
}

Reach Chains::reach(FlowNode Start, unsigned Frame, const FunctionDecl *F,
                    const Chain &C) const {
  std::vector<const CallSite *> Stack(C.begin() + Frame, C.end());
  std::reverse(Stack.begin(), Stack.end()); // root first
  const Reach R = A.Flow.reach(Start, Stack);
  if (R.GivenUp)
    limited(F, "what it computes goes further than could be followed");
  return R;
}

bool Chains::feeds(FlowNode Start, unsigned Frame, FlowNode To, const Chain &C,
                   ValueFlow::Admit First) const {
  std::vector<const CallSite *> Stack(C.begin() + Frame, C.end());
  std::reverse(Stack.begin(), Stack.end()); // root first
  return A.Flow.feeds(Start, To, Stack, First);
}

void Chains::keysOf(const Storage &S, const FunctionDecl *F, const Chain &C,
                    llvm::SmallVectorImpl<Key> &Out) const {
  for (const Storage &Name : home(S, F, C).Names) {
    if (!Name.valid())
      continue;
    if (const FieldDecl *Field = Name.firstField())
      Out.push_back(Field);
    else if (Name.Root)
      Out.push_back(Name.Root);
    else if (const auto *M = dyn_cast<CXXMethodDecl>(F))
      Out.push_back(M->getParent()->getCanonicalDecl());
  }
}

void Chains::findFrozen() {
  for (const FunctionFacts *X : All)
    for (const Event &E : X->Events)
      if (E.K == Event::Freeze)
        for (const Chain &C : of(X->F)) {
          llvm::SmallVector<Key, 4> Keys;
          keysOf(E.Target, X->F, C, Keys);
          Frozen.insert(Keys.begin(), Keys.end());
        }
  if (Frozen.empty())
    return;
  for (const FunctionFacts *X : All)
    for (const Event &E : X->Events)
      if (E.K == Event::Forward)
        for (const Chain &C : of(X->F))
          if (isFrozen(E.Target, X->F, C, E.E))
            FrozenForwards.insert(E.E);
}

bool Chains::isFrozen(const Storage &Module, const FunctionDecl *F,
                      const Chain &C, const Expr *Forward) const {
  if (Frozen.empty())
    return false;
  llvm::SmallVector<Key, 4> Keys;
  keysOf(Module, F, C, Keys);
  for (const Storage &Name : home(Module, F, C).Names)
    if (Name.Root) // a part of a module that was frozen as a whole
      Keys.push_back(Name.Root);
  if (const Expr *Object = moduleOf(Forward))
    if (const CXXRecordDecl *R = A.T.pointee(skipNoise(Object)->getType()))
      Keys.push_back(R->getCanonicalDecl());
  return llvm::any_of(Keys, [&](Key K) { return Frozen.contains(K); });
}

bool Chains::isEvaluated(const Storage &Module, const FunctionDecl *F,
                         const Chain &C) const {
  llvm::SmallVector<Key, 4> Keys;
  keysOf(Module, F, C, Keys);
  bool Eval = false;
  for (const FunctionFacts *X : All)
    for (const Event &E : X->Events) {
      if (E.K != Event::Eval && E.K != Event::Train)
        continue;
      // In the frames of this chain, or in a constructor.
      bool Near = isa<CXXConstructorDecl>(X->F);
      for (unsigned I = 0; I <= C.size(); ++I)
        Near |= frame(I, F, C) == X;
      llvm::SmallVector<Key, 4> Others;
      keysOf(E.Target, X->F, {}, Others);
      const bool Same = llvm::any_of(
          Others, [&](Key K) { return llvm::is_contained(Keys, K); });
      if (Near && Same && E.K == Event::Eval)
        Eval = true;
    }
  return Eval;
}

bool Chains::isOneOfSeveral(const CallSite &Site) const {
  const FunctionFacts *Caller = A.known(Site.Caller);
  return Caller && llvm::any_of(Caller->Calls, [&](const auto &Other) {
           return Other->E == Site.E && Other->Callee != Site.Callee;
         });
}

bool Chains::isSpent(const History &H) const {
  for (const Atom &At : H.atoms())
    if (At.K == Atom::Live && BackwardOrigins.contains(At.Origin))
      return true;
  return false;
}

bool Chains::madeByModulesOf(const FunctionFacts &X,
                             llvm::ArrayRef<const Expr *> Producers,
                             const Stmt *Loop) {
  if (!isLoop(Loop))
    return false;
  for (const Event &E : X.Events)
    if (E.K == Event::Forward && llvm::is_contained(Producers, E.E))
      if (const Expr *Module = moduleOf(E.E))
        if (X.Shape->variesIn(Module, Loop))
          return true;
  return false;
}

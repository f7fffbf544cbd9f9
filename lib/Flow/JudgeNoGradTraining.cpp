//===- JudgeNoGradTraining.cpp - Training with grad mode off --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

using Conditions = llvm::SmallVector<const Expr *, 4>;

/// Does \p Of hold something that \p In does not?
template <class List> bool anyBeyond(const List &Of, const List &In) {
  return llvm::any_of(
      Of, [&](const auto *X) { return !llvm::is_contained(In, X); });
}

class Judge {
public:
  Judge(const Analysis &A, const Chains &C) : A(A), C(C) {
    for (const FunctionFacts *X : C.everywhere())
      for (const Event &E : X->Events) {
        Trains |= E.K == Event::Backward;
        if (E.K == Event::SetsGrad)
          Setters[E.E] = X;
      }
  }

  void backward(const Event &E, const FunctionFacts &X) {
    for (const Chain &Path : C.of(X.F)) {
      const Cell Loss = C.value({E.H, E.Shape}, X.F, Path);
      const Mode Here = C.mode(E.Grad, X.F, Path);
      if (Loss.H.empty() || isMeant(E, X, Path))
        continue;
      if (Loss.H.onlyNone())
        covered(E, X, Path, Loss.H, Here);
      else if (Here.has(Mode::Off) && Here.By && Loss.H.isLostBy(Here.By))
        notRestored(E, X, Path, Here.By);
    }
  }

  /// Grad mode stays off on one way out of a function that restores it on
  /// another.
  void leftOff(const FunctionFacts &X) {
    const Expr *Off = X.Exit.By;
    if (!Trains || !Off || !X.Exit.has(Mode::Off) || Found.count(Off) ||
        setterOf(Off) != &X)
      return;
    bool Restored = false;
    for (const Event &E : X.Events)
      if (E.K == Event::SetsGrad && E.E != Off && !E.Grad.has(Mode::Off) &&
          Off->getBeginLoc() < E.E->getBeginLoc())
        Restored = true;
    if (!Restored || restoresByCondition(X, Off) || hasLambdaThatSets(X))
      return;
    const Stmt *Leaves = wayOut(X.Shape->body(), Off);
    if (!Leaves)
      return;
    NoGradTraining R = report(NoGradTraining::LeftOff, Off, X);
    R.Leaves = Leaves;
    Found.emplace(Off, std::move(R));
  }

  std::vector<NoGradTraining> results() {
    std::vector<NoGradTraining> All;
    for (auto &[Off, R] : Found)
      All.push_back(std::move(R));
    llvm::sort(All, [](const NoGradTraining &L, const NoGradTraining &R) {
      return L.TurnsOff->getBeginLoc() < R.TurnsOff->getBeginLoc();
    });
    return All;
  }

private:
  /// Conditions round \p At, those of switches included.
  static Conditions conditions(const FunctionFacts &X, const Stmt *At) {
    Conditions R = X.Shape->conditions(At, nullptr);
    for (const Stmt *S = At; S; S = X.Shape->parent(S))
      if (const auto *W = dyn_cast<SwitchStmt>(S))
        R.push_back(W->getCond());
    return R;
  }

  using Branches = llvm::SmallVector<const Stmt *, 4>;

  /// What round \p At may be left out: branches, rounds of loops, cases.
  static Branches enclosing(const FunctionFacts &X, const Stmt *At) {
    Branches R;
    for (const Stmt *S = At; S; S = X.Shape->parent(S)) {
      const Stmt *P = X.Shape->parent(S);
      if (const auto *If = dyn_cast_or_null<IfStmt>(P)) {
        if (S == If->getThen() || S == If->getElse())
          R.push_back(S);
      } else if (isa_and_nonnull<SwitchStmt>(P)) {
        R.push_back(At); // each statement may be another case
      } else if (P && S == loopBody(P) && !isa<DoStmt>(P)) {
        R.push_back(S);
      }
    }
    return R;
  }

  /// The code knows: it asks for history first, or expects the exception.
  bool isMeant(const Event &E, const FunctionFacts &X,
               const Chain &Path) const {
    for (unsigned I = 0; I <= Path.size(); ++I)
      if (const FunctionFacts *F = C.frame(I, X.F, Path)) {
        const Expr *At = C.position(I, E.E, Path);
        for (const Expr *Cond : F->Shape->conditions(At, nullptr))
          if (semantics::asksForHistory(Cond))
            return true;
        for (const Stmt *S = At; S; S = F->Shape->parent(S))
          if (const auto *Try = dyn_cast<CXXTryStmt>(S))
            if (Try->getTryBlock()->size() <= 2)
              return true;
      }
    return false;
  }

  void covered(const Event &E, const FunctionFacts &X, const Chain &Path,
               const History &Loss, Mode Here) {
    const Expr *Off = nullptr;
    for (const Atom &At : Loss.atoms())
      if (At.Origin)
        Off = Here.recordsNever() && Here.By == At.Origin
                  ? At.Origin
                  : Mode::first(Off, At.Origin);
    if (Here.recordsNever() && Here.By && Loss.isLostBy(Here.By))
      Off = Here.By;
    if (!Off)
      return;
    // Below the function that turns grad mode off, whatever runs on condition
    // may be what that function does not ask for.
    const FunctionFacts *Holder = nullptr;
    auto How = NoGradTraining::Covered;
    for (unsigned I = 0; I <= Path.size() && !Holder; ++I) {
      const FunctionFacts *F = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      if (!F || (I > 0 && C.isOneOfSeveral(*Path[I - 1])))
        return;
      if (F->Shape->parent(Off)) {
        Holder = F;
      } else if (const Expr *Call = callThatReaches(*F, Off)) {
        Holder = holderOf(Off);
        if (!Holder || !agree(*F, Call, At) ||
            !conditions(*Holder, Off).empty())
          return;
        if (setterOf(Off))
          How = NoGradTraining::NotRestored;
      } else if (!conditions(*F, At).empty()) {
        return;
      }
    }
    if (Holder)
      add(How, Off, *Holder, E, X, Path);
  }

  void notRestored(const Event &E, const FunctionFacts &X, const Chain &Path,
                   const Expr *Off) {
    const FunctionFacts *Setter = setterOf(Off);
    if (!Setter || hasLambdaThatSets(*Setter) ||
        restoresByCondition(*Setter, Off))
      return;
    bool Conditional = false;
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *F = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      if (!F || restoresByCondition(*F, Off) ||
          (I > 0 && C.isOneOfSeveral(*Path[I - 1])))
        return;
      const Expr *Position = Setter == F ? Off : callThatReaches(*F, Off);
      if (!Position) {
        Conditional |= !conditions(*F, At).empty();
        continue;
      }
      // `if (!train) turn off` and `if (train) backward` exclude each other.
      const Conditions OfSetter = conditions(*F, Position),
                       OfBackward = conditions(*F, At);
      const bool SetterOwn = anyBeyond(OfSetter, OfBackward),
                 BackwardOwn = Conditional || anyBeyond(OfBackward, OfSetter);
      if (SetterOwn && BackwardOwn)
        return;
      add(NoGradTraining::NotRestored, Off, *Setter, E, X, Path);
      const auto Loops = F->Shape->loopsAround(At);
      auto It = Found.find(Off);
      if (It != Found.end() && !Loops.empty() && !It->second.Loop)
        It->second.Loop = Loops.front();
      return;
    }
  }

  static bool agree(const FunctionFacts &F, const Expr *One,
                    const Expr *Other) {
    return !anyBeyond(conditions(F, One), conditions(F, Other)) ||
           !anyBeyond(conditions(F, Other), conditions(F, One));
  }

  const FunctionFacts *setterOf(const Expr *Off) const {
    auto It = Setters.find(Off);
    return It == Setters.end() ? nullptr : It->second;
  }

  /// The function that holds \p Off.
  const FunctionFacts *holderOf(const Expr *Off) const {
    if (const FunctionFacts *Setter = setterOf(Off))
      return Setter;
    for (const FunctionFacts *X : C.everywhere())
      if (X->Shape->parent(Off))
        return X;
    return nullptr;
  }

  /// The call in \p F below which \p Off stands, if there is one.
  const Expr *callThatReaches(const FunctionFacts &F, const Expr *Off) const {
    const FunctionFacts *Holder = holderOf(Off);
    if (!Holder)
      return nullptr;
    for (const auto &Site : F.Calls) {
      if (Site->crossesThreads() || C.isOneOfSeveral(*Site))
        continue;
      llvm::SmallPtrSet<const FunctionFacts *, 8> Seen;
      llvm::SmallVector<const FunctionFacts *, 8> Work;
      if (const FunctionFacts *Callee = A.known(Site->Callee))
        Work.push_back(Callee);
      while (!Work.empty()) {
        const FunctionFacts *Next = Work.pop_back_val();
        if (!Seen.insert(Next).second)
          continue;
        if (Next == Holder)
          return Site->E;
        for (const auto &Below : Next->Calls)
          if (const FunctionFacts *Callee = A.known(Below->Callee))
            Work.push_back(Callee);
      }
    }
    return nullptr;
  }

  /// `if (was_enabled) set_enabled(true)`: it is restored where that matters.
  static bool restoresByCondition(const FunctionFacts &X, const Expr *Off) {
    const Branches Around = enclosing(X, Off);
    for (const Event &E : X.Events)
      if (E.K == Event::SetsGrad && E.E != Off && !E.Grad.is(Mode::Off) &&
          anyBeyond(enclosing(X, E.E), Around))
        return true;
    return false;
  }

  /// A lambda inside may run at the end of a scope.
  bool hasLambdaThatSets(const FunctionFacts &X) const {
    for (const auto &[Call, Setter] : Setters)
      if (Setter != &X && Setter->F->getParentFunctionOrMethod() &&
          isa<CXXMethodDecl>(Setter->F) &&
          cast<CXXMethodDecl>(Setter->F)->getParent()->isLambda() &&
          cast<CXXMethodDecl>(Setter->F)->getParent()->getDeclContext() == X.F)
        return true;
    return false;
  }

  /// A statement after \p Off that leaves early.
  static const Stmt *wayOut(const Stmt *S, const Expr *Off) {
    if (!S || isa<LambdaExpr>(S))
      return nullptr;
    if (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, CXXThrowExpr>(S) &&
        Off->getEndLoc() < S->getBeginLoc())
      return S;
    for (const Stmt *Child : S->children())
      if (const Stmt *Found = wayOut(Child, Off))
        return Found;
    return nullptr;
  }

  NoGradTraining report(decltype(NoGradTraining::How) How, const Expr *Off,
                        const FunctionFacts &Holder) const {
    NoGradTraining R;
    R.How = How;
    R.TurnsOff = Off;
    R.Function = Holder.F;
    R.Statement = Holder.Shape->statement(Off);
    R.IsGuard = !setterOf(Off);
    return R;
  }

  void add(decltype(NoGradTraining::How) How, const Expr *Off,
           const FunctionFacts &Holder, const Event &E, const FunctionFacts &X,
           const Chain &Path) {
    auto [It, New] = Found.try_emplace(Off, report(How, Off, Holder));
    NoGradTraining &R = It->second;
    if (!New) {
      if (R.Backward != &E && !llvm::is_contained(R.Others, &E))
        R.Others.push_back(&E);
      return;
    }
    R.Backward = &E;
    R.BackwardStatement = X.Shape->statement(E.E);
    for (unsigned I = 0; I < Path.size(); ++I) {
      if (C.frame(I, X.F, Path) == &Holder)
        break;
      R.Calls.push_back(Path[I]->E);
    }
  }

  const Analysis &A;
  const Chains &C;
  bool Trains = false;
  std::map<const Expr *, const FunctionFacts *> Setters;
  std::map<const Expr *, NoGradTraining> Found;
};

} // namespace

std::vector<NoGradTraining>
torchtidy::flow::judgeNoGradTraining(const Analysis &A, const Chains &C) {
  Judge J(A, C);
  // What turns grad mode off is reported, wherever the backward stands.
  for (const FunctionFacts *X : C.everywhere())
    for (const Event &E : X->Events)
      if (E.K == Event::Backward || (E.K == Event::NeedsGrad && E.Stored))
        J.backward(E, *X);
  for (const FunctionFacts *X : C.functions())
    J.leftOff(*X);
  std::vector<NoGradTraining> Result = J.results();
  llvm::erase_if(Result, [&](const NoGradTraining &R) {
    const FunctionFacts *Holder = A.known(R.Function);
    return Holder && Holder->Foreign;
  });
  return Result;
}

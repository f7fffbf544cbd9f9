//===- JudgeAccumulation.cpp - Micro-batches summed unscaled --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/LearningRates.h"
#include "Flow/Transfer.h"
#include "Flow/Windows.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

class Judge {
public:
  Judge(const Analysis &A, const Chains &C) : A(A), C(C), Window(A), Calls(A) {
    for (const FunctionFacts *X : C.everywhere())
      for (const Event &E : X->Events)
        ScalesGradients |= E.K == Event::ScaleGrad;
    const LearningRates Rates(A, C);
    for (const FunctionFacts *X : C.everywhere())
      LearningRateDivided |= X->Foreign ? X->DividesRate : Rates.divides(*X);
  }

  std::optional<UnscaledAccumulation>
  judge(const Event &E, const FunctionFacts &X, const Chain &Path) {
    if (ScalesGradients || LearningRateDivided || E.HasGradient)
      return std::nullopt;
    const Cell Loss = C.value({E.H, E.Shape}, X.F, Path);
    if (!Loss.Shape.isUnscaledMean() || !Loss.H.has(Atom::Live))
      return std::nullopt;
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      const Sites S = Calls.sites(*Frame);
      if (S.Steps.empty())
        continue;
      // The callee that runs backward also steps: it was judged there.
      if (I > 0 && llvm::is_contained(S.Steps, At))
        return std::nullopt;
      UnscaledAccumulation R;
      const std::optional<bool> Below =
          accumulatesBelow(E, X, S, Loss.H, R, I, Path);
      if (Below ? !*Below : !accumulates(*Frame, At, S, Loss.H, R, I, Path))
        return std::nullopt;
      R.Backward = &E;
      R.Function = X.F;
      R.Statement = X.Shape->statement(E.E);
      R.Calls = callsOf(Chain(Path.begin(), Path.begin() + I));
      R.Producers = producersOf(Loss.H);
      R.WindowInScope = R.Window && canStandAt(R.Window, Frame->F, E.E, X);
      return R;
    }
    return std::nullopt;
  }

private:
  /// Does \p E, of function \p From, mean the same at \p At in \p X?
  static bool canStandAt(const Stmt *E, const FunctionDecl *From,
                         const Stmt *At, const FunctionFacts &X) {
    if (!E)
      return true;
    if (const auto *R = dyn_cast<DeclRefExpr>(E))
      if (const auto *V = dyn_cast<VarDecl>(R->getDecl()))
        return !V->hasLocalStorage() ||
               (From == X.F &&
                (isa<ParmVarDecl>(V) ? V->getDeclContext() == X.F
                                     : X.Shape->isInScope(V, At)));
    if (isa<CXXThisExpr>(E))
      return From == X.F ||
             (isa<CXXMethodDecl>(From) && isa<CXXMethodDecl>(X.F) &&
              From->getParent() == X.F->getParent());
    return llvm::all_of(E->children(), [&](const Stmt *Child) {
      return canStandAt(Child, From, At, X);
    });
  }

  bool isWindow(const Expr *S, const Expr *Backward, const Stmt *Loop,
                const FunctionFacts &X, const Expr *&Condition) const {
    auto Own = X.Shape->conditions(S, Loop);
    auto Shared = X.Shape->conditions(Backward, Loop);
    for (const Expr *Cond : Own)
      if (!llvm::is_contained(Shared, Cond) && Window.matches(Cond)) {
        Condition = Cond;
        return true;
      }
    return false;
  }

  /// A helper that works off the micro-batches in a loop of its own, called by
  /// the frame that steps. Empty: no loop there.
  std::optional<bool> accumulatesBelow(const Event &E, const FunctionFacts &X,
                                       const Sites &S, const History &H,
                                       UnscaledAccumulation &R, unsigned Outer,
                                       const Chain &Path) const {
    for (unsigned J = 0; J < Outer; ++J) {
      const FunctionFacts *Frame = C.frame(J, X.F, Path);
      const Expr *At = C.position(J, E.E, Path);
      const auto Loops = Frame->Shape->loopsAround(At);
      if (Loops.empty())
        continue;
      const Stmt *Loop = Loops.front();
      if (Structure::constantTrips(Loop, A.Context) == 1 ||
          variesByModule(*Frame, H, Loop) || !madeInside(*Frame, H, Loop))
        return false;
      // What the helper was given is one graph, differentiated several times.
      for (unsigned K = J + 1; K <= Path.size(); ++K)
        for (const Expr *Origin : producersOf(H))
          if (C.frame(K, X.F, Path)->Shape->parent(Origin))
            return false;
      for (const Expr *Zero : Calls.sites(*Frame).Zeros)
        if (Frame->Shape->contains(Loop, Zero))
          return false;
      const FunctionFacts *Stepping = C.frame(Outer, X.F, Path);
      const Expr *Call = C.position(Outer, E.E, Path);
      for (const Expr *Step : S.Steps)
        if (!insideOtherLoop(*Stepping, Step, Call)) {
          R.Loop = Loop;
          R.Step = Step;
          return true;
        }
      return false;
    }
    return std::nullopt;
  }

  bool accumulates(const FunctionFacts &X, const Expr *Backward, const Sites &S,
                   const History &H, UnscaledAccumulation &R, unsigned Frame,
                   const Chain &Path) {
    auto Loops = X.Shape->loopsAround(Backward);
    llvm::SmallVector<const Stmt *, 4> All(Loops.begin(), Loops.end());
    if (Frame > 0 && Path[Frame - 1]->repeats())
      All.insert(All.begin(), Backward);
    if (All.empty())
      return windowByCounter(X, Backward, S, R);
    const Stmt *Loop = All.front();
    const unsigned Trips = Structure::constantTrips(Loop, A.Context);
    if (Trips == 1 || variesByModule(X, H, Loop))
      return false;
    if (!madeInside(X, H, Loop))
      return false;
    const Expr *Condition = nullptr;
    const Expr *Found = nullptr;
    for (const Expr *Step : S.Steps) {
      if (!X.Shape->contains(Loop, Step))
        continue;
      if (!isWindow(Step, Backward, Loop, X, Condition))
        return false; // a step after each backward, whatever skips it
      Found = Step;
    }
    if (!Found)
      for (const Expr *Step : S.Steps) {
        // Behind the loop, in the same round of the loops around it.
        if (Step->getBeginLoc() < Loop->getEndLoc() &&
            !sameOuter(X, Step, Loop))
          continue;
        if (insideOtherLoop(X, Step, Loop))
          continue;
        Found = Step;
        break;
      }
    if (!Found)
      return false;
    // Gradients that are zeroed before each backward do not accumulate.
    for (const Expr *Zero : S.Zeros) {
      const Expr *Ignored = nullptr;
      if (X.Shape->contains(Loop, Zero) &&
          !isWindow(Zero, Backward, Loop, X, Ignored))
        return false;
    }
    R.Loop = Loop;
    R.Step = Found;
    R.Window = Condition;
    return true;
  }

  /// A function that is called once per micro-batch and steps every so often.
  bool windowByCounter(const FunctionFacts &X, const Expr *Backward,
                       const Sites &S, UnscaledAccumulation &R) const {
    const Expr *Condition = nullptr;
    for (const Expr *Step : S.Steps)
      if (!isWindow(Step, Backward, nullptr, X, Condition))
        return false;
    for (const Expr *Zero : S.Zeros) {
      const Expr *Ignored = nullptr;
      if (!isWindow(Zero, Backward, nullptr, X, Ignored))
        return false;
    }
    R.Step = S.Steps.front();
    R.Window = Condition;
    return true;
  }

  /// Step before the inner loop, but in a loop that holds both.
  static bool sameOuter(const FunctionFacts &X, const Expr *Step,
                        const Stmt *Loop) {
    for (const Stmt *L : X.Shape->loopsAround(Loop))
      if (X.Shape->contains(L, Step))
        return true;
    return false;
  }

  /// A loop that holds the step but not the backward: another phase.
  static bool insideOtherLoop(const FunctionFacts &X, const Expr *Step,
                              const Stmt *Loop) {
    for (const Stmt *L : X.Shape->loopsAround(Step))
      if (!X.Shape->contains(L, Loop))
        return true;
    return false;
  }

  /// One loss per head or critic: different losses, not micro-batches.
  bool variesByModule(const FunctionFacts &X, const History &H,
                      const Stmt *Loop) const {
    return Chains::madeByModulesOf(X, producersOf(H), Loop) ||
           A.loopsOverModules(Loop) || loopsOverList(Loop);
  }

  /// `for (float scale : {0.5f, 1.f})`: terms that are written out.
  static bool loopsOverList(const Stmt *Loop) {
    const auto *R = dyn_cast<CXXForRangeStmt>(Loop);
    return R && isa<InitListExpr>(skipNoise(R->getRangeInit()));
  }

  /// Is the graph made in each round anew? Else it is the same graph that is
  /// differentiated several times.
  bool madeInside(const FunctionFacts &X, const History &H,
                  const Stmt *Loop) const {
    for (const Atom &At : H.atoms())
      if (At.K == Atom::Live && At.Origin && X.Shape->parent(At.Origin) &&
          !X.Shape->contains(Loop, At.Origin))
        return false;
    return true;
  }

  const Analysis &A;
  const Chains &C;
  const WindowCondition Window;
  const Happenings Calls;
  bool ScalesGradients = false;
  bool LearningRateDivided = false;
  llvm::DenseSet<const ValueDecl *> Quotients;
};

} // namespace

std::vector<UnscaledAccumulation>
torchtidy::flow::judgeAccumulation(const Analysis &A, const Chains &C) {
  std::vector<UnscaledAccumulation> Result;
  Judge J(A, C);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events) {
      if (E.K != Event::Backward)
        continue;
      for (const Chain &Path : C.of(X->F))
        if (auto R = J.judge(E, *X, Path)) {
          Result.push_back(std::move(*R));
          break;
        }
    }
  return Result;
}

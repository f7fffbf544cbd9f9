//===- JudgeStale.cpp - Graphs that outlive their round by one forward ----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// `out = net(x)` in a loop, `out` outside: the old value dies when the new one
/// is assigned, so both graphs are alive until then. After a backward there is
/// nothing left to die; a value that is used again is no waste; what something
/// else keeps as well is not freed sooner.
///
//===----------------------------------------------------------------------===//

#include "Flow/Bounds.h"
#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

/// Does each round of the loop that gets that far run S?
bool runsInEachRound(const Structure &Shape, const Stmt *S, const Stmt *Loop) {
  while (S != loopBody(Loop)) {
    S = Shape.parent(S);
    if (!isa_and_nonnull<CompoundStmt, CXXTryStmt>(S))
      return false;
  }
  return true;
}

/// All that a function says of one variable.
class Uses {
public:
  Uses(const Analysis &A, const FunctionFacts &X, const VarDecl *V)
      : A(A), Shape(*X.Shape), V(V) {
    visit(Shape.body());
  }

  llvm::ArrayRef<const DeclRefExpr *> all() const { return Refs; }

  /// Does it only look: does the variable go on holding what it holds?
  bool onlyReads(const Expr *E) const {
    for (const Stmt *P = Shape.parent(E); P; P = Shape.parent(P)) {
      if (const auto *C = dyn_cast<ImplicitCastExpr>(P)) {
        if (C->getType().isConstQualified() || C->isPRValue())
          return true;
      } else if (const auto *Call = dyn_cast<CallExpr>(P)) {
        if (!looks(Call, E))
          return false;
        if (Call->isPRValue())
          return true;
      } else if (!isa<ParenExpr, MemberExpr>(P)) {
        return false;
      }
    }
    return false;
  }

private:
  /// Calls on the variable itself that are not const, but harmless:
  /// `value.toTensor()`, `std::get<0>(pair)`.
  bool looks(const CallExpr *Call, const Expr *E) const {
    const semantics::Call C = semantics::classify(Call, A.T, A.Names);
    if (C.Kind == semantics::CallKind::Same)
      return semantics::tupleIndex(C).has_value();
    if (!C.Object || !Shape.contains(C.Object, E) || semantics::isAssignment(C))
      return false;
    return C.Kind == semantics::CallKind::Look ||
           C.Kind == semantics::CallKind::Access ||
           C.Kind == semantics::CallKind::Through ||
           C.Kind == semantics::CallKind::Detach;
  }

  void visit(const Stmt *S) {
    if (!S)
      return;
    if (const auto *R = dyn_cast<DeclRefExpr>(S))
      if (R->getDecl() == V)
        Refs.push_back(R);
    if (const auto *L = dyn_cast<LambdaExpr>(S)) {
      for (const Expr *Init : L->capture_inits())
        visit(Init);
      return;
    }
    for (const Stmt *C : S->children())
      visit(C);
  }

  const Analysis &A;
  const Structure &Shape;
  const VarDecl *V;
  llvm::SmallVector<const DeclRefExpr *, 8> Refs;
};

class Judge {
public:
  Judge(const Analysis &A, const Chains &C) : A(A), C(C), B(A) {}

  /// \p Holder is a local of frame \p I that holds what \p E gave when \p E
  /// runs again.
  std::optional<StaleOutput> judge(const Event &E, const FunctionFacts &X,
                                   const Chain &Path, unsigned I,
                                   const Storage &Holder) const {
    const FunctionFacts *Frame = C.frame(I, X.F, Path);
    const auto *V = dyn_cast_or_null<VarDecl>(Holder.Root);
    if (!V || !Frame || !V->hasLocalStorage() || A.T.isHandle(V->getType()) ||
        X.Shape->parallelRegion(E.E) || !C.mode(E.Grad, X.F, Path).is(Mode::On))
      return std::nullopt;
    for (unsigned J = 0; J < I; ++J)
      if (Path[J]->K != CallSite::Direct)
        return std::nullopt;
    StaleOutput R;
    R.Loop = loopOf(*Frame, C.position(I, E.E, Path), V);
    if (!R.Loop || C.isFrozen(E.Target, X.F, Path, E.E))
      return std::nullopt;
    R.Store = storeOf(*Frame, R.Loop, Holder, E.E);
    if (!R.Store || !isOnlyWritten(*Frame, R, Holder, E.E))
      return std::nullopt;
    const Reach Out = C.reach(FlowNode::of(skipNoise(E.E)), 0, X.F, Path);
    if (Out.Escapes || Out.OpaqueCall ||
        (Out.Backward && !isKept(E.E, R.KeptBy)) ||
        isHeldElsewhere(E.E, *Frame, R, V))
      return std::nullopt;
    R.Function = Frame->F;
    R.Statement = Frame->Shape->statement(R.Store->E);
    R.Forward = &E;
    R.Variable = V;
    R.Holder = Holder;
    return R;
  }

private:
  /// The innermost loop over which the variable lives, if that repeats At.
  const Stmt *loopOf(const FunctionFacts &X, const Expr *At,
                     const VarDecl *V) const {
    const Stmt *D = X.Shape->declaration(V);
    if (!D)
      return nullptr;
    for (const Stmt *L : X.Shape->loopsAround(At)) {
      if (X.Shape->repeats(L, D) || X.Shape->leavesAfter(At, L))
        return nullptr;
      if (Structure::constantTrips(L, A.Context) != 1)
        return L;
    }
    return nullptr;
  }

  static const Expr *leftOf(const Expr *E) {
    if (const auto *Op = dyn_cast<BinaryOperator>(E))
      return Op->isAssignmentOp() ? Op->getLHS() : nullptr;
    const auto *Op = dyn_cast<CXXOperatorCallExpr>(E);
    return Op && Op->isAssignmentOp() ? Op->getArg(0) : nullptr;
  }

  static bool isOfForward(const Event &Y, const Storage &Holder,
                          const Expr *Forward) {
    return Y.K == Event::Store && Y.How == Event::Rebind && !Y.Algorithm &&
           leftOf(Y.E) && Y.Target.Root == Holder.Root &&
           Holder.startsWith(Y.Target) && Y.H.comesFrom(Forward);
  }

  bool before(const Stmt *L, const Stmt *R) const {
    const SourceManager &SM = A.Context.getSourceManager();
    return SM.isBeforeInTranslationUnit(SM.getExpansionLoc(L->getBeginLoc()),
                                        SM.getExpansionLoc(R->getBeginLoc()));
  }

  /// The first assignment of what the forward gave, if each round comes by.
  const Event *storeOf(const FunctionFacts &X, const Stmt *Loop,
                       const Storage &Holder, const Expr *Forward) const {
    const Event *First = nullptr;
    for (const Event &Y : X.Events)
      if (isOfForward(Y, Holder, Forward) && X.Shape->contains(Loop, Y.E) &&
          (!First || before(Y.E, First->E)))
        First = &Y;
    if (!First || X.Shape->leavesAfter(First->E, Loop) ||
        !runsInEachRound(*X.Shape, X.Shape->statement(First->E), Loop))
      return nullptr;
    return First;
  }

  /// Does nothing use what the variable brings along from the round before, or
  /// out of the loop, and does nothing let go of it?
  bool isOnlyWritten(const FunctionFacts &X, const StaleOutput &R,
                     const Storage &Holder, const Expr *Forward) const {
    const Uses Of(A, X, cast<VarDecl>(Holder.Root));
    if (X.Shape->isShared(cast<VarDecl>(Holder.Root)))
      return false;
    auto IsLeft = [&](const DeclRefExpr *Ref, const Event &Y) {
      const Expr *Left = leftOf(Y.E);
      return Left && X.Shape->contains(Left, Ref);
    };
    for (const DeclRefExpr *Ref : Of.all()) {
      const bool Inside = X.Shape->contains(R.Loop, Ref);
      const bool Written = llvm::any_of(X.Events, [&](const Event &Y) {
        return Inside ? isOfForward(Y, Holder, Forward) && IsLeft(Ref, Y)
                      : (Y.K == Event::Bound ||
                         (Y.K == Event::Store && Y.How == Event::Rebind)) &&
                            IsLeft(Ref, Y);
      });
      if (Written)
        continue;
      // Of the round before, or of the last one.
      if (!Inside || X.Shape->contains(R.Store->E, Ref) ||
          before(Ref, R.Store->E) || !Of.onlyReads(Ref))
        return false;
    }
    return true;
  }

  /// Does each backward over it keep the graph?
  bool isKept(const Expr *Forward, const Expr *&By) const {
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events) {
        if (Y.K != Event::Backward && Y.K != Event::NeedsGrad)
          continue;
        for (const Chain &Way : C.of(F->F)) {
          const History H = C.value({Y.H, {}}, F->F, Way).H;
          if (!H.comesFrom(Forward))
            continue;
          if (F->Foreign) // its arguments are not known
            return false;
          const semantics::Call Call = semantics::classify(Y.E, A.T, A.Names);
          if (!semantics::retainsGraph(Call, A.Context).value_or(false))
            return false;
          By = Y.E;
        }
      }
    return By;
  }

  /// Does something else hold the graph beyond the round as well?
  bool isHeldElsewhere(const Expr *Forward, const FunctionFacts &X,
                       const StaleOutput &R, const VarDecl *V) const {
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events)
        if (Y.K == Event::Store)
          for (const Chain &Way : C.of(F->F))
            if (outlives(Y, *F, Way, Forward, X, R, V))
              return true;
    return false;
  }

  bool outlives(const Event &Y, const FunctionFacts &F, const Chain &Way,
                const Expr *Forward, const FunctionFacts &X,
                const StaleOutput &R, const VarDecl *V) const {
    unsigned At = 0; // where the loop's function is on the way
    while (At <= Way.size() && C.frame(At, F.F, Way) != &X)
      ++At;
    if (At > Way.size() || !C.value({Y.H, {}}, F.F, Way).H.comesFrom(Forward))
      return false;
    const Chains::Home Home = C.home(Y.Target, F.F, Way);
    const auto *Of = dyn_cast_or_null<VarDecl>(Home.Here.Root);
    if (!Home.Local || !Of || !Of->hasLocalStorage() || Home.Frame > At)
      return true;
    const Stmt *D = X.Shape->declaration(Of);
    if (Of == V || Home.Frame < At || (D && X.Shape->repeats(R.Loop, D)))
      return false;
    // Another one of the same kind?
    StaleOutput Other = R;
    Other.Store = &Y;
    return At != 0 || Y.How != Event::Rebind || B.dependsOnItself(Y) ||
           !isOnlyWritten(X, Other, Home.Here, Forward);
  }

  const Analysis &A;
  const Chains &C;
  const Bounds B;
};

} // namespace

std::vector<StaleOutput> torchtidy::flow::judgeStale(const Analysis &A,
                                                     const Chains &C) {
  std::vector<StaleOutput> Result;
  const Judge J(A, C);
  auto Add = [&](std::optional<StaleOutput> R) {
    if (R && llvm::none_of(Result, [&](const StaleOutput &Known) {
          return Known.Variable == R->Variable;
        }))
      Result.push_back(std::move(*R));
  };
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events) {
      if (E.K != Event::Forward)
        continue;
      for (const Chain &Path : C.of(X->F)) {
        for (const Storage &Holder : E.Holders)
          Add(J.judge(E, *X, Path, 0, Holder));
        for (unsigned I = 1; I <= Path.size(); ++I)
          for (const Storage &Holder : Path[I - 1]->Before->holding(E.E))
            if (C.frame(I, X->F, Path)->isLocal(Holder))
              Add(J.judge(E, *X, Path, I, Holder));
      }
    }
  return Result;
}

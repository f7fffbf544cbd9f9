//===- JudgeZeroGrad.cpp - Gradients that are not, or wrongly, zeroed -----===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/Ownership.h"
#include "Flow/Transfer.h"
#include "Flow/Windows.h"
#include "Semantics/Arguments.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

bool names(const Stmt *S, llvm::function_ref<bool(const Expr *)> Is) {
  if (!S)
    return false;
  if (const auto *E = dyn_cast<Expr>(S))
    if (Is(E))
      return true;
  return llvm::any_of(S->children(),
                      [&](const Stmt *C) { return names(C, Is); });
}

class Judge {
public:
  Judge(const Analysis &A, const Chains &C)
      : A(A), C(C), Calls(A), Owns(A), Window(A) {}

  /// Steps in each round, over gradients that no round zeroes.
  std::optional<WrongZeroGrad> judgeStep(const Event &E, const FunctionFacts &X,
                                         const Chain &Path) const {
    if (!E.Target.valid() || !knowsStep(E, X))
      return std::nullopt;
    const Chains::Home Home = C.home(E.Target, X.F, Path);
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      const Storage Name = I < Home.Names.size() ? Home.Names[I] : Storage();
      for (const Stmt *L : Frame->Shape->loopsAround(At)) {
        const auto Backwards = Calls.below(*Frame, L, Event::Backward);
        if (Backwards.empty())
          continue; // over the parameters, for one
        if (Structure::constantTrips(L, A.Context) == 1 ||
            Frame->Shape->leavesAfter(At, L) ||
            madeInside(*Frame, L, E, Home) || mayZero(*Frame, L, E, Name))
          return std::nullopt;
        return found(E, X, Path, I, L, Backwards.front().E);
      }
    }
    return calledRepeatedly(E, X, Path, Home);
  }

  /// Zeroes before each backward of several before one step.
  std::optional<WrongZeroGrad> judgeZero(const Event &E, const FunctionFacts &X,
                                         const Chain &Path) const {
    if (E.ByHand || !E.Target.valid())
      return std::nullopt;
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      const auto Loops = Frame->Shape->loopsAround(At);
      if (Loops.empty())
        continue;
      const Stmt *L = Loops.front();
      WrongZeroGrad R;
      if (!wipes(*Frame, At, L, R))
        return std::nullopt;
      R.How = WrongZeroGrad::MicroBatches;
      R.At = &E;
      R.Function = X.F;
      R.Statement = X.Shape->statement(E.E);
      R.Loop = L;
      R.Calls = callsOf(Chain(Path.begin(), Path.begin() + I));
      return R;
    }
    return std::nullopt;
  }

private:
  /// Is it clear what the step does: a library's optimizer, a closure whose
  /// body is seen?
  bool knowsStep(const Event &E, const FunctionFacts &X) const {
    if (E.ByHand)
      return true;
    const auto *Call = dyn_cast<CXXMemberCallExpr>(E.E);
    if (!Call || !Call->getMethodDecl() ||
        !A.T.isLibrary(Call->getMethodDecl()))
      return false;
    for (const Expr *Arg : Call->arguments())
      if (!semantics::isAbsent(Arg) &&
          llvm::none_of(X.Calls, [&](const auto &S) { return S->E == E.E; }))
        return false;
    return true;
  }

  /// A new network or optimizer in each round starts with no gradients.
  bool madeInside(const FunctionFacts &Frame, const Stmt *Loop, const Event &E,
                  const Chains::Home &Home) const {
    auto Inside = [&](const ValueDecl *D) {
      const auto *V = dyn_cast_or_null<VarDecl>(D);
      const Stmt *Decl = V ? Frame.Shape->declaration(V) : nullptr;
      return Decl && Frame.Shape->contains(Loop, Decl);
    };
    for (const Storage &Name : Home.Names)
      if (Inside(Name.Root))
        return true;
    if (!E.ByHand)
      for (const ValueDecl *D : Owns.ownedBy(Home.Here))
        if (Inside(D))
          return true;
    return false;
  }

  /// May anything below the loop zero these gradients, or set them?
  bool mayZero(const FunctionFacts &Frame, const Stmt *Loop, const Event &E,
               const Storage &Name) const {
    for (const Happenings::Found &Z :
         Calls.below(Frame, Loop, Event::ZeroGrad)) {
      Storage Target = Z.E->Target;
      if (Z.In != &Frame) { // as it is called here
        Storage Here;
        for (const auto &S : Frame.Calls)
          if (S->E == Z.At && A.known(S->Callee) == Z.In && Target.valid())
            Here = S->toCaller(Target);
        Target = Here;
      }
      if (E.ByHand || !Name.valid() || !Owns.isForOthers(*Z.E, Target, Name))
        return true;
    }
    // A new tensor under the old name has no gradient.
    if (E.ByHand)
      for (Event::Kind K : {Event::Bound, Event::Store})
        for (const Happenings::Found &N : Calls.below(Frame, Loop, K))
          if (N.E->Target.valid() && nodeOf(N.E->Target) == nodeOf(E.Target) &&
              (K == Event::Bound || N.E->How == Event::Rebind))
            return true;
    for (const Happenings::Found &G :
         Calls.below(Frame, Loop, Event::ScaleGrad))
      if (G.E->ByHand) // assigned
        return true;
    for (const Happenings::Found &U : Calls.below(Frame, Loop, Event::Unseen))
      if (handsOver(U))
        return true;
    return false;
  }

  /// Does a call that is not seen get something that leads to parameters?
  bool handsOver(const Happenings::Found &Unseen) const {
    if (Unseen.In->Foreign)
      return true; // what it gets is not known
    auto Leads = [&](QualType T) {
      return A.T.isModule(T) || A.T.isOptimizer(T) || A.T.isJitModule(T);
    };
    return names(Unseen.E->E, [&](const Expr *E) {
      if (isa<CXXThisExpr>(E))
        return true;
      if (!isa<DeclRefExpr, MemberExpr>(E))
        return false;
      const QualType T = E->getType();
      if (Leads(T) || A.T.isCallableWrapper(T) || isa<LambdaExpr>(E))
        return true;
      const CXXRecordDecl *R = A.T.pointee(T);
      if (!R || A.T.isLibrary(R) || !R->hasDefinition())
        return false;
      // A callback may hold anything.
      return R->isPolymorphic() ||
             llvm::any_of(R->fields(), [&](const FieldDecl *F) {
               return Leads(F->getType());
             });
    });
  }

  /// A method without visible callers that runs backward and steps.
  std::optional<WrongZeroGrad>
  calledRepeatedly(const Event &E, const FunctionFacts &X, const Chain &Path,
                   const Chains::Home &Home) const {
    const FunctionDecl *Root = Chains::root(X.F, Path);
    const auto *Method = dyn_cast<CXXMethodDecl>(Root);
    if (!Method || Method->getParent()->isLambda() || C.isCalledUnseen(Root) ||
        isa<CXXConstructorDecl, CXXDestructorDecl>(Root) || !Home.Here.IsThis ||
        Home.Here.Path.empty())
      return std::nullopt;
    // Whoever else may zero them does so between the calls.
    for (const CXXMethodDecl *M : Method->getParent()->methods())
      if (!M->isImplicit() && !M->isDefaulted() && !M->isDeleted() &&
          !A.Funcs.definition(M))
        return std::nullopt;
    if (const FieldDecl *F = Home.Here.firstField())
      if (F->getAccess() == AS_public)
        return std::nullopt;
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Z : F->Events)
        if (Z.K == Event::ZeroGrad)
          return std::nullopt;
    const FunctionFacts *Frame = C.frame(Path.size(), X.F, Path);
    const auto Backwards = Calls.below(*Frame, nullptr, Event::Backward);
    if (Backwards.empty() || mayZero(*Frame, nullptr, E, Home.Here))
      return std::nullopt;
    return found(E, X, Path, Path.size(), nullptr, Backwards.front().E);
  }

  WrongZeroGrad found(const Event &E, const FunctionFacts &X, const Chain &Path,
                      unsigned Frame, const Stmt *Loop,
                      const Event *Backward) const {
    WrongZeroGrad R;
    R.At = &E;
    R.Function = X.F;
    R.Statement = X.Shape->statement(E.E);
    R.Loop = Loop;
    R.Backward = Backward->E;
    R.Calls = callsOf(Chain(Path.begin(), Path.begin() + Frame));
    return R;
  }

  /// Of one loop: zero and backward in each round, the step in some only or
  /// behind the loop.
  bool wipes(const FunctionFacts &X, const Expr *Zero, const Stmt *L,
             WrongZeroGrad &R) const {
    const Sites S = Calls.sites(X);
    const auto Inside = Calls.below(X, L, Event::Backward);
    if (Inside.size() != 1 || Structure::constantTrips(L, A.Context) == 1 ||
        A.loopsOverModules(L) || S.Zeros.size() != 1 ||
        llvm::is_contained(S.Steps, Zero))
      return false;
    const Expr *Backward = Inside.front().At;
    // In each round, both of them, in one loop.
    if (X.Shape->loopsAround(Backward).front() != L ||
        Calls.below(X, nullptr, Event::Backward).size() != 1 || S.Steps.empty())
      return false;
    if (llvm::any_of(
            Inside.front().In->Shape->conditions(
                Inside.front().E->E, Inside.front().In == &X ? L : nullptr),
            [&](const Expr *Cond) { return Window.matches(Cond); }))
      return false;
    if (readsGradients(X, L))
      return false;
    const auto OfZero = X.Shape->conditions(Zero, L);
    const Stmt *Branch = nullptr;
    for (const Expr *Step : S.Steps) {
      if (!X.Shape->contains(L, Step)) {
        // Behind the loop, in one round of the loops around it.
        if (Step->getBeginLoc() < L->getEndLoc() || !OfZero.empty())
          return false;
        for (const Stmt *Around : X.Shape->loopsAround(Step))
          if (!X.Shape->contains(Around, L))
            return false;
        continue;
      }
      // `if (i % 2) a.step(); else b.step();`: one of them in each round.
      const Stmt *Here = branch(X, Step, L);
      if (Branch && Branch != Here)
        return false;
      Branch = Here;
      const Expr *Round = nullptr;
      for (const Expr *Cond : X.Shape->conditions(Step, L))
        if (Window.recurs(Cond))
          Round = Cond;
      if (!Round || X.Shape->conditions(Step, L).size() != 1)
        return false;
      // `if (i % k == 0) zero; backward; if (i % k == 0) step;`
      const bool SameRound = OfZero.size() == 1 &&
                             equal(OfZero.front(), Round, L) &&
                             OfZero.front() != Round &&
                             Zero->getBeginLoc() < Backward->getBeginLoc() &&
                             Backward->getBeginLoc() < Step->getBeginLoc();
      if (!OfZero.empty() && !SameRound)
        return false;
      R.Window = Round;
    }
    R.Backward = Backward;
    R.Step = S.Steps.front();
    return true;
  }

  /// What of the loop's outermost choice leads to the statement.
  static const Stmt *branch(const FunctionFacts &X, const Stmt *S,
                            const Stmt *Loop) {
    const Stmt *Outermost = Loop;
    for (; S && S != Loop; S = X.Shape->parent(S))
      if (isa_and_nonnull<IfStmt, SwitchStmt, ConditionalOperator>(
              X.Shape->parent(S)))
        Outermost = S;
    return Outermost;
  }

  /// Do two conditions of one round hold together? The second comes later.
  bool equal(const Expr *L, const Expr *R, const Stmt *Loop) const {
    if (L->HasSideEffects(A.Context) || R->HasSideEffects(A.Context))
      return false;
    llvm::FoldingSetNodeID Left, Right;
    L->Profile(Left, A.Context, /*Canonical=*/true);
    R->Profile(Right, A.Context, /*Canonical=*/true);
    if (Left != Right)
      return false;
    // `++i` in between makes them two.
    return !names(Loop, [&](const Expr *E) {
      const Expr *Written = nullptr;
      if (const auto *U = dyn_cast<UnaryOperator>(E))
        Written = U->isIncrementDecrementOp() ? U->getSubExpr() : nullptr;
      else if (const auto *B = dyn_cast<BinaryOperator>(E))
        Written = B->isAssignmentOp() ? B->getLHS() : nullptr;
      Written = Written ? skipNoise(Written) : nullptr;
      const auto *W = dyn_cast_or_null<DeclRefExpr>(Written);
      const auto *M = dyn_cast_or_null<MemberExpr>(Written);
      if ((!W && !M) || E->getBeginLoc() < L->getEndLoc() ||
          R->getBeginLoc() < E->getBeginLoc())
        return false;
      return names(L, [&](const Expr *Part) {
        if (const auto *X = dyn_cast<DeclRefExpr>(Part))
          return W && X->getDecl() == W->getDecl();
        const auto *X = dyn_cast<MemberExpr>(Part);
        return X && M && X->getMemberDecl() == M->getMemberDecl();
      });
    });
  }

  /// Gradients per sample are collected before the next zeroing.
  bool readsGradients(const FunctionFacts &X, const Stmt *Loop) const {
    if (Calls.readsGradients(Loop))
      return true;
    auto ReadsInside = [&](const FunctionFacts *F) {
      return F && (F->ReadsGradients ||
                   Calls.readsGradients(F->Shape ? F->Shape->body() : nullptr));
    };
    for (const auto &S : X.Calls)
      if (X.Shape->contains(Loop, S->E))
        if (const FunctionFacts *Callee = A.known(S->Callee))
          if (ReadsInside(Callee) ||
              llvm::any_of(Callee->Calls, [&](const auto &Inner) {
                return ReadsInside(A.known(Inner->Callee));
              }))
            return true;
    // Handed to a function that is not seen, or to clip the norm of each.
    for (const Happenings::Found &U : Calls.below(X, Loop, Event::Unseen))
      if (handsOver(U))
        return true;
    return false;
  }

  const Analysis &A;
  const Chains &C;
  const Happenings Calls;
  const Ownership Owns;
  const WindowCondition Window;
};

} // namespace

std::vector<WrongZeroGrad> torchtidy::flow::judgeZeroGrad(const Analysis &A,
                                                          const Chains &C) {
  std::vector<WrongZeroGrad> Result;
  Judge J(A, C);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events) {
      if (E.K != Event::Step && E.K != Event::ZeroGrad)
        continue;
      std::optional<WrongZeroGrad> Found;
      for (const Chain &Path : C.of(X->F)) {
        Found = E.K == Event::Step ? J.judgeStep(E, *X, Path)
                                   : J.judgeZero(E, *X, Path);
        if (Found)
          break;
      }
      if (Found)
        Result.push_back(std::move(*Found));
    }
  return Result;
}

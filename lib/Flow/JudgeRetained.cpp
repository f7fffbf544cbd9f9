//===- JudgeRetained.cpp - Growth of tensors with history -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Bounds.h"
#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

std::vector<const Expr *> torchtidy::flow::callsOf(const Chain &C) {
  std::vector<const Expr *> Calls;
  for (const CallSite *S : C)
    Calls.push_back(S->E);
  return Calls;
}

std::vector<const Expr *> torchtidy::flow::producersOf(const History &H) {
  std::vector<const Expr *> Result;
  for (const Atom &A : H.atoms())
    if (A.K == Atom::Live && A.Origin && !llvm::is_contained(Result, A.Origin))
      Result.push_back(A.Origin);
  llvm::sort(Result, [](const Expr *L, const Expr *R) {
    return L->getBeginLoc() < R->getBeginLoc();
  });
  return Result;
}

namespace {

/// Loops of so few rounds hold a layer stack or a pair, not a history.
constexpr unsigned FewRounds = 4;

/// `i % n`, `i & mask`: a ring.
bool isRing(const Expr *Key) {
  Key = skipNoise(Key);
  if (const auto *B = dyn_cast<BinaryOperator>(Key))
    return B->getOpcode() == BO_Rem || B->getOpcode() == BO_And;
  if (const auto *R = dyn_cast<DeclRefExpr>(Key))
    if (const auto *V = dyn_cast<VarDecl>(R->getDecl()))
      return V->getInit() && !isa<ParmVarDecl>(V) && isRing(V->getInit());
  return false;
}

bool isLiteralKey(const Expr *Key) {
  if (!Key)
    return false;
  Key = skipNoise(Key);
  while (const auto *C = dyn_cast<CXXConstructExpr>(Key)) {
    if (C->getNumArgs() == 0)
      return true;
    Key = skipNoise(C->getArg(0));
  }
  if (isa<StringLiteral, IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr>(
          Key))
    return true;
  if (const auto *R = dyn_cast<DeclRefExpr>(Key)) {
    const auto *V = dyn_cast<VarDecl>(R->getDecl());
    return isa<EnumConstantDecl>(R->getDecl()) ||
           (V && V->getType().isConstQualified() &&
            (V->hasGlobalStorage() || V->isConstexpr()));
  }
  return false;
}

class Judge {
public:
  Judge(const Analysis &A, const Chains &C) : A(A), C(C), B(A) {}

  std::optional<RetainedGraph> judge(const Event &E, const FunctionFacts &X,
                                     const Chain &Path) {
    if (E.IsFold)
      return judgeFold(E, X, Path);
    if (!E.Target.valid())
      return std::nullopt;
    const bool AddsToItself =
        (E.How == Event::Rebind || E.How == Event::Indexed) &&
        B.dependsOnItself(E);
    if (!AddsToItself && (E.How == Event::Rebind || E.FixedHolder))
      return std::nullopt;
    const History H = C.value({E.H, {}}, X.F, Path).H;
    if (!isDefinite(H))
      return std::nullopt;
    const Chains::Home Home = C.home(E.Target, X.F, Path);
    if (!Home.Here.valid())
      return std::nullopt;
    RetainedGraph R;
    R.Store = &E;
    R.Function = X.F;
    R.Statement = X.Shape->statement(E.E);
    R.Holder = Home.Here;
    R.HolderDecl = declOf(Home.Here);
    R.Producers = producersOf(H);
    R.Calls = callsOf(Path);
    R.AddsToItself = AddsToItself;
    R.StoresTensor = E.Stored && A.T.isTensor(skipNoise(E.Stored)->getType());
    if (!findLoop(E, X, Path, Home, R) || isPartOfForward(X, Path, Home, R))
      return std::nullopt;
    for (unsigned I = 0; I <= Home.Frame && I < Home.Names.size(); ++I)
      R.MayBeBounded |=
          B.emptied(*C.frame(I, X.F, Path), Home.Names[I], nullptr);
    if (keeps(X, Path, Home, H, R))
      return R;
    return std::nullopt;
  }

private:
  /// std::accumulate whose callable adds to its first argument.
  std::optional<RetainedGraph> judgeFold(const Event &E, const FunctionFacts &X,
                                         const Chain &Path) {
    const History H = C.value({E.H, {}}, X.F, Path).H;
    if (!isDefinite(H))
      return std::nullopt;
    const Reach Out = C.reach(FlowNode::of(skipNoise(E.E)), 0, X.F, Path);
    if (Out.Backward || Out.Escapes)
      return std::nullopt;
    RetainedGraph R;
    R.Store = &E;
    R.Function = X.F;
    R.Statement = X.Shape->statement(E.E);
    R.Producers = producersOf(H);
    R.Calls = callsOf(Path);
    R.Loop = E.E;
    R.Spent = C.isSpent(H);
    return R;
  }

  static const ValueDecl *declOf(const Storage &S) {
    if (S.Root)
      return S.Root;
    return S.firstField();
  }

  bool isDefinite(const History &H) const {
    for (const Atom &At : H.atoms())
      if (At.K == Atom::Live && !C.isFrozenOrigin(At.Origin))
        return true;
    return false;
  }

  /// The loop over which the holder grows: the innermost that repeats the store
  /// and not the holder's declaration.
  bool findLoop(const Event &E, const FunctionFacts &X, const Chain &Path,
                const Chains::Home &Home, RetainedGraph &R) {
    for (unsigned I = 0; I <= Home.Frame; ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      llvm::SmallVector<const Stmt *, 4> Loops;
      if (I == 0 ? E.Algorithm != nullptr : Path[I - 1]->repeats())
        Loops.push_back(At);
      Loops.append(Frame->Shape->loopsAround(At));
      for (const Stmt *L : Loops) {
        if (I == Home.Frame && Home.Local)
          if (const auto *V = dyn_cast_or_null<VarDecl>(Home.Here.Root))
            if (const Stmt *D = Frame->Shape->declaration(V))
              if (isLoop(L) && Frame->Shape->repeats(L, D))
                return false; // made anew in each round, as in those around
        const unsigned Trips = Structure::constantTrips(L, A.Context);
        if (Trips && Trips <= FewRounds)
          continue;
        if (Frame->Shape->leavesAfter(At, L))
          continue;
        if (A.loopsOverModules(L) ||
            (I == 0 && C.madeByModulesOf(X, R.Producers, L)))
          continue; // one tensor per layer or parameter, not per iteration
        if (I == 0 && isLoop(L) && testsCapacity(X, E, L))
          return false;
        if (!R.AddsToItself && !grows(E, I, L, *Frame))
          continue; // the same key in each round: overwritten
        if (areMadeOutside(L, *Frame, R.Producers))
          continue; // parts of one graph
        if (R.AddsToItself && I == 0 && countsKey(L, E.Key))
          continue; // each round another element
        if (isBounded(L, I, X, Path, Home))
          return false;
        R.Loop = L;
        return true;
      }
    }
    return calledRepeatedly(E, X, Path, Home, R);
  }

  /// Is no forward run by \p Loop, or by what it calls?
  bool areMadeOutside(const Stmt *Loop, const FunctionFacts &Frame,
                      const std::vector<const Expr *> &Producers) const {
    return !Producers.empty() && llvm::none_of(Producers, [&](const Expr *P) {
      std::set<const FunctionFacts *> Seen;
      return !A.Flow.owner(P) || runs(Loop, Frame, P, Seen);
    });
  }

  bool runs(const Stmt *Within, const FunctionFacts &X, const Expr *P,
            std::set<const FunctionFacts *> &Seen) const {
    if (A.Flow.owner(P) == X.F->getCanonicalDecl() &&
        (!Within || X.Shape->contains(Within, P)))
      return true;
    return llvm::any_of(X.Calls, [&](const auto &Site) {
      const FunctionFacts *Callee = A.known(Site->Callee);
      return Callee && (!Within || X.Shape->contains(Within, Site->E)) &&
             Seen.insert(Callee).second && runs(nullptr, *Callee, P, Seen);
    });
  }

  /// A local list of what layers of this module gave, part by part, which goes
  /// into the result: all of it is one forward.
  bool isPartOfForward(const FunctionFacts &X, const Chain &Path,
                       const Chains::Home &Home, const RetainedGraph &R) const {
    const FunctionFacts *F = C.frame(Home.Frame, X.F, Path);
    const auto *M = dyn_cast<CXXMethodDecl>(F->F);
    if (!Home.Local || !M || M->isStatic() ||
        !A.T.isModule(M->getThisType()->getPointeeType()))
      return false;
    const bool Own = llvm::all_of(R.Producers, [&](const Expr *P) {
      return llvm::any_of(F->Events,
                          [&](const Event &Y) {
                            return Y.K == Event::Forward && Y.E == P &&
                                   Y.Target.IsThis;
                          }) ||
             (R.Loop && areMadeOutside(R.Loop, *F, {P}));
    });
    return Own && A.Flow.connects(*nodeOf(Home.Here), FlowNode::ofReturn(M),
                                  [](const Expr *) { return true; });
  }

  /// Is the key the loop's own counter?
  static bool countsKey(const Stmt *Loop, const Expr *Key) {
    const auto *F = dyn_cast<ForStmt>(Loop);
    const auto *D = F ? dyn_cast_or_null<DeclStmt>(F->getInit()) : nullptr;
    const auto *R = Key ? dyn_cast<DeclRefExpr>(skipNoise(Key)) : nullptr;
    return D && R && llvm::is_contained(D->decls(), R->getDecl());
  }

  /// `if (kept.size() < n) kept.push_back(t)`
  bool testsCapacity(const FunctionFacts &X, const Event &E,
                     const Stmt *Loop) const {
    std::function<bool(const Stmt *)> Asks = [&](const Stmt *S) {
      if (!S)
        return false;
      if (const auto *M = dyn_cast<CXXMemberCallExpr>(S))
        if (const CXXMethodDecl *D = M->getMethodDecl())
          if (semantics::asksSize(D)) {
            const Expr *O = skipNoise(M->getImplicitObjectArgument());
            if (const auto *R = dyn_cast<DeclRefExpr>(O))
              return R->getDecl() == E.Target.Root;
            if (const auto *F = dyn_cast<MemberExpr>(O))
              return F->getMemberDecl() == E.Target.firstField();
          }
      return llvm::any_of(S->children(), Asks);
    };
    return llvm::any_of(X.Shape->conditions(E.E, Loop), Asks);
  }

  /// Does the store add something in each round, or overwrite?
  bool grows(const Event &E, unsigned Frame, const Stmt *Loop,
             const FunctionFacts &X) {
    if (E.How == Event::Indexed || (E.How == Event::Insert && E.Key)) {
      if (isLiteralKey(E.Key) || isRing(E.Key))
        return false;
      if (Frame == 0 && isLoop(Loop))
        return X.Shape->variesIn(E.Key, Loop);
    }
    return true;
  }

  bool isBounded(const Stmt *Loop, unsigned Frame, const FunctionFacts &X,
                 const Chain &Path, const Chains::Home &Home) {
    for (unsigned I = 0; I <= Frame && I < Home.Names.size(); ++I) {
      const FunctionFacts *F = C.frame(I, X.F, Path);
      if (B.emptied(*F, Home.Names[I], I == Frame ? Loop : nullptr))
        return true;
    }
    return false;
  }

  /// A member or global that a function without visible callers appends to.
  bool calledRepeatedly(const Event &E, const FunctionFacts &X,
                        const Chain &Path, const Chains::Home &Home,
                        RetainedGraph &R) {
    if (Home.Local)
      return false;
    const FunctionDecl *Root = Chains::root(X.F, Path);
    if (Root->isMain() || C.isCalledUnseen(Root) ||
        isa<CXXConstructorDecl, CXXDestructorDecl>(Root))
      return false;
    const auto *V = dyn_cast_or_null<VarDecl>(Home.Here.Root);
    const bool Outlives =
        Home.Here.IsThis ? !Home.Here.Path.empty() : V && V->hasGlobalStorage();
    if (!Outlives)
      return false;
    if (!R.AddsToItself && E.Key && (isLiteralKey(E.Key) || isRing(E.Key)))
      return false;
    if (isBounded(nullptr, Home.Frame, X, Path, Home))
      return false;
    if (C.mayBeTouched(Home.Here, Root))
      return false;
    // Another function may empty it between calls that are not seen.
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events)
        if (B.isBound(Y) && Y.Target.valid() &&
            nodeOf(Y.Target) == nodeOf(Home.Here) &&
            !isa<CXXConstructorDecl>(F->F))
          return false;
    R.Loop = nullptr;
    return true;
  }

  /// A parameter, or a part of one that others can reach.
  static bool belongsToCaller(const Storage &S) {
    if (!isa_and_nonnull<ParmVarDecl>(S.Root))
      return false;
    const FieldDecl *F = S.firstField();
    return !F || F->getAccess() == AS_public || F->getAccess() == AS_none;
  }

  /// Does nothing need what is kept?
  bool keeps(const FunctionFacts &X, const Chain &Path,
             const Chains::Home &Home, const History &H, RetainedGraph &R) {
    auto Node = nodeOf(Home.Here);
    if (!Node)
      return false;
    R.Spent = C.isSpent(H);
    const Reach Out = C.reach(*Node, Home.Frame, X.F, Path);
    if (Out.Backward || Out.OpaqueCall)
      return false;
    if (!Out.Escapes && !belongsToCaller(Home.Here))
      return true;
    // It leaves what is seen: someone else may run backward over it, unless
    // that is done already, or the module is in eval mode.
    if (R.Spent)
      return true;
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events)
        if (Y.K == Event::Forward && llvm::is_contained(R.Producers, Y.E)) {
          Chain Outer;
          if (F->F == X.F)
            Outer = Path;
          if (C.isEvaluated(Y.Target, F->F, Outer))
            return true;
        }
    return false;
  }

  const Analysis &A;
  const Chains &C;
  const Bounds B;
};

} // namespace

std::vector<RetainedGraph> torchtidy::flow::judgeRetained(const Analysis &A,
                                                          const Chains &C) {
  std::vector<RetainedGraph> Result;
  Judge J(A, C);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events) {
      if (E.K != Event::Store)
        continue;
      for (const Chain &Path : C.of(X->F))
        if (auto R = J.judge(E, *X, Path)) {
          Result.push_back(std::move(*R));
          break; // one report per place
        }
    }
  return Result;
}

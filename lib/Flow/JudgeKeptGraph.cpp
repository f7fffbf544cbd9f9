//===- JudgeKeptGraph.cpp - Graphs that backward is told to keep ----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/Transfer.h"
#include "Flow/Windows.h"
#include "Semantics/Arguments.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

using Origins = llvm::SmallPtrSet<const Expr *, 8>;

class Judge {
public:
  Judge(const Analysis &A, const Chains &C,
        const std::vector<UndetachedState> &States)
      : A(A), C(C), States(States), Calls(A) {}

  std::optional<KeptGraph> judge(const Event &E, const FunctionFacts &X,
                                 const Chain &Path) const {
    const semantics::Call Call = semantics::classify(E.E, A.T, A.Names);
    const auto Creates = semantics::createsGraph(Call, A.Context);
    if (!Creates || !E.Stored || semantics::limitsInputs(Call))
      return std::nullopt;
    KeptGraph R;
    R.Backward = &E;
    R.Function = X.F;
    R.Statement = X.Shape->statement(E.E);
    R.Calls = callsOf(Path);
    R.CreatesGraph = *Creates;
    const bool Keeps = semantics::retainsGraph(Call, A.Context).value_or(false);
    if (*Creates ? makesCycles(E, X, Path, R)
                 : Keeps && isForNothing(E, X, Path, R))
      return R;
    return std::nullopt;
  }

private:
  static Origins originsOf(const History &H) {
    Origins Result;
    for (const Atom &At : H.atoms())
      if (At.K == Atom::Live && At.Origin)
        Result.insert(At.Origin);
    return Result;
  }
  static bool isKnown(const History &H) {
    return llvm::none_of(H.atoms(), [](const Atom &At) {
      return At.K == Atom::Unknown || (At.K == Atom::Live && !At.Origin);
    });
  }
  /// What a root's parameters are is left open: data, nearly always.
  History history(const Event &E, const Chain &Path) const {
    Cell H{E.H, {}};
    for (const CallSite *S : Path)
      H = A.atCall(*S, H);
    return H.H;
  }
  /// The inputs of the outermost function that it is made from.
  static std::set<Storage> inputsOf(const History &H) {
    std::set<Storage> Result;
    for (const Atom &At : H.atoms())
      if (At.K == Atom::Entry)
        Result.insert(At.Of);
    return Result;
  }
  bool isMadeLeaf(const Event &E) const {
    return E.K == Event::NeedsGrad &&
           semantics::classify(E.E, A.T, A.Names).Kind ==
               semantics::CallKind::MakeLeaf;
  }

  /// `x.requires_grad_(true)`: the result, and x itself.
  llvm::SmallVector<FlowNode, 2> nodesOf(const Event &Leaf) const {
    llvm::SmallVector<FlowNode, 2> Nodes{FlowNode::of(skipNoise(Leaf.E))};
    const Expr *Object = semantics::classify(Leaf.E, A.T, A.Names).Object;
    if (const auto *R = dyn_cast_or_null<DeclRefExpr>(skipNoise(Object)))
      Nodes.push_back(FlowNode::of(R->getDecl()));
    return Nodes;
  }

  /// Gradients that have a graph and hang on what it was made of: a cycle, as
  /// long as nobody empties them.
  bool makesCycles(const Event &E, const FunctionFacts &X, const Chain &Path,
                   KeptGraph &R) const {
    auto Any = [](const Expr *) { return true; };
    bool Repeats = false;
    for (unsigned I = 0; I <= Path.size(); ++I)
      Repeats |= !C.frame(I, X.F, Path)
                      ->Shape->loopsAround(C.position(I, E.E, Path))
                      .empty();
    // A leaf that is made on the way: no optimizer knows it.
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      for (const auto &Z : Calls.below(*Frame, nullptr, Event::ZeroGrad))
        if (Z.E->ByHand)
          return false;
      for (const Event &Leaf : Frame->Events) {
        if (!isMadeLeaf(Leaf) ||
            !llvm::any_of(nodesOf(Leaf),
                          [&](FlowNode From) {
                            return C.feeds(From, I,
                                           FlowNode::of(skipNoise(E.Stored)),
                                           Path, Any);
                          }) ||
            (!Repeats && Chains::root(X.F, Path)->isMain()))
          continue;
        R.Leaf = Leaf.E;
        return true;
      }
    }
    // Parameters that no round zeroes.
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      for (const Stmt *L : Frame->Shape->loopsAround(At)) {
        if (A.loopsOverModules(L))
          continue;
        R.Loop = L;
        return !Frame->Shape->leavesAfter(At, L) &&
               Structure::constantTrips(L, A.Context) != 1 &&
               Calls.below(*Frame, L, Event::ZeroGrad).empty() &&
               Calls.below(*Frame, L, Event::Unseen).empty() &&
               reachesParameters(E, X, Path);
      }
    }
    return false;
  }

  bool reachesParameters(const Event &E, const FunctionFacts &X,
                         const Chain &Path) const {
    const Origins From = originsOf(C.value({E.H, {}}, X.F, Path).H);
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events)
        if (Y.K == Event::Forward && From.count(Y.E) && !C.isFrozenOrigin(Y.E))
          return true;
    return false;
  }

  /// Does nothing else ever run over any part of this graph?
  bool isForNothing(const Event &E, const FunctionFacts &X, const Chain &Path,
                    KeptGraph &R) const {
    for (const UndetachedState &S : States)
      if (S.Backward == &E)
        return false; // that is the defect
    const History H = history(E, Path);
    Origins Ours = originsOf(C.value({E.H, {}}, X.F, Path).H);
    if (Ours.empty() || !isKnown(H))
      return false;
    // A tensor from outside that each round uses, or a state.
    for (const Storage &S : inputsOf(H))
      if (S.IsThis ||
          (S.Path.empty() && S.Root && A.T.isTensor(S.Root->getType())))
        return false;
    for (const CallSite *S : Path)
      if (isStep(*S))
        return false; // a closure: who runs it decides how often
    if (!madeAnew(E, X, Path, Ours, R) || isShared(E, X, Path, Ours))
      return false;
    // Whoever gets a tensor of it may.
    for (const Expr *From : Ours)
      if (escapes(From))
        return false;
    const Reach Out = C.reach(FlowNode::of(skipNoise(E.Stored)), 0, X.F, Path);
    return !Out.Escapes && !Out.OpaqueCall && !survives(E, X, Path, Ours);
  }

  bool isStep(const CallSite &S) const {
    const FunctionFacts *F = A.known(S.Caller);
    return F && llvm::any_of(F->Events, [&](const Event &Y) {
             return Y.K == Event::Step && Y.E == S.E;
           });
  }

  /// Does each backward get a graph of its own?
  bool madeAnew(const Event &E, const FunctionFacts &X, const Chain &Path,
                const Origins &Ours, KeptGraph &R) const {
    for (unsigned I = 0; I <= Path.size(); ++I) {
      const FunctionFacts *Frame = C.frame(I, X.F, Path);
      const Expr *At = C.position(I, E.E, Path);
      if (I > 0 && Path[I - 1]->repeats())
        return false;
      for (const Stmt *L : Frame->Shape->loopsAround(At)) {
        if (!R.Loop)
          R.Loop = L;
        for (const Expr *From : Ours)
          if (Frame->Shape->parent(From) && !Frame->Shape->contains(L, From))
            return false;
        // Made in a function further out: the same graph in each round.
        for (unsigned J = I + 1; J <= Path.size(); ++J)
          for (const Expr *From : Ours)
            if (C.frame(J, X.F, Path)->Shape->parent(From))
              return false;
      }
    }
    return true;
  }

  /// Another backward or autograd::grad over something of it, or perhaps.
  bool isShared(const Event &E, const FunctionFacts &X, const Chain &Path,
                const Origins &Ours) const {
    const auto Inputs = inputsOf(history(E, Path));
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events) {
        const bool Differentiates =
            Y.K == Event::Backward ||
            (Y.K == Event::NeedsGrad &&
             semantics::classify(Y.E, A.T, A.Names).Kind ==
                 semantics::CallKind::AutogradGrad);
        if (!Differentiates || &Y == &E)
          continue;
        if (!Y.Stored)
          return true;
        for (const Chain &Way : C.of(F->F)) {
          const History H = history(Y, Way);
          const bool SameRoot =
              Chains::root(X.F, Path) == Chains::root(F->F, Way);
          const Origins Theirs = originsOf(C.value({Y.H, {}}, F->F, Way).H);
          if ((SameRoot && !isKnown(H)) ||
              llvm::any_of(Theirs,
                           [&](const Expr *O) { return Ours.count(O) != 0; }) ||
              (SameRoot && llvm::any_of(inputsOf(H), [&](const Storage &S) {
                 return Inputs.count(S) != 0;
               })))
            return true;
        }
      }
    return false;
  }

  bool escapes(const Expr *Origin) const {
    for (const FunctionFacts *F : C.everywhere())
      if (F->Shape->parent(Origin))
        for (const Chain &Path : C.of(F->F)) {
          const Reach Out =
              C.reach(FlowNode::of(skipNoise(Origin)), 0, F->F, Path);
          if (Out.Escapes || Out.OpaqueCall)
            return true;
        }
    return false;
  }

  /// Is something of it kept beyond the round and differentiated later?
  bool survives(const Event &E, const FunctionFacts &X, const Chain &Path,
                const Origins &Ours) const {
    for (const FunctionFacts *F : C.everywhere())
      for (const Event &Y : F->Events) {
        if (Y.K != Event::Store || !Y.Target.valid())
          continue;
        for (const Chain &Way : C.of(F->F)) {
          const Origins Stored = originsOf(C.value({Y.H, {}}, F->F, Way).H);
          if (llvm::none_of(Stored,
                            [&](const Expr *O) { return Ours.count(O) != 0; }))
            continue;
          const Chains::Home Home = C.home(Y.Target, F->F, Way);
          const auto Node = nodeOf(Home.Here);
          if (!Node)
            return true;
          if (C.reach(*Node, Home.Frame, F->F, Way).Backward &&
              !madeInRound(Home, F->F, Way, E, X, Path))
            return true;
        }
      }
    return false;
  }

  /// Is the holder a variable of the innermost loop round the backward?
  bool madeInRound(const Chains::Home &Home, const FunctionDecl *F,
                   const Chain &Way, const Event &E, const FunctionFacts &X,
                   const Chain &Path) const {
    const auto *V = dyn_cast_or_null<VarDecl>(Home.Here.Root);
    const FunctionFacts *At = C.frame(Home.Frame, F, Way);
    const Stmt *D = V && Home.Local ? At->Shape->declaration(V) : nullptr;
    if (!D)
      return false;
    for (unsigned I = 0; I <= Path.size(); ++I)
      if (C.frame(I, X.F, Path) == At) {
        const auto Loops = At->Shape->loopsAround(C.position(I, E.E, Path));
        return Loops.empty() || At->Shape->contains(Loops.front(), D);
      }
    return true; // of a function that is called in each round
  }

  const Analysis &A;
  const Chains &C;
  const std::vector<UndetachedState> &States;
  const Happenings Calls;
};

} // namespace

std::vector<KeptGraph>
torchtidy::flow::judgeKeptGraphs(const Analysis &A, const Chains &C,
                                 const std::vector<UndetachedState> &States) {
  std::vector<KeptGraph> Result;
  Judge J(A, C, States);
  for (const FunctionFacts *X : C.functions())
    for (const Event &E : X->Events) {
      if (E.K != Event::Backward || !E.RetainsGraph)
        continue;
      // Needed on one way is needed.
      std::optional<KeptGraph> Found;
      for (const Chain &Path : C.of(X->F)) {
        auto R = J.judge(E, *X, Path);
        if (!R) {
          Found.reset();
          break;
        }
        if (!Found)
          Found = std::move(R);
      }
      if (Found)
        Result.push_back(std::move(*Found));
    }
  return Result;
}

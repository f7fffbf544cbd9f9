//===- JudgeSavedData.cpp - Outputs that their own node keeps -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Judge.h"
#include "Flow/PathWalk.h"
#include "Semantics/SavedData.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

namespace {

/// The paths of one forward.
class Judge {
public:
  Judge(const Analysis &A, const FunctionDecl *Forward)
      : A(A), Forward(Forward), Backward(definition(Forward)) {}

  /// False if there are too many paths to judge it.
  bool run(std::vector<SavedOutput> &Result) {
    auto Find = [&](const FunctionDecl *F) { return A.Funcs.body(F); };
    PathWalk Walk(A);
    const PathWalk::End End =
        Walk.walk(Forward, [&](Path &P, const ReturnStmt *R) { add(P, R); });
    if (Seen.empty() || End == PathWalk::End::Lost || !Backward ||
        semantics::mayEmptySavedData(Backward, Find))
      return true;
    if (End == PathWalk::End::TooMany)
      return false;
    for (auto &[Store, S] : Seen)
      if (S.Kept.Return && isSure(S))
        Result.push_back(std::move(S.Kept));
    return true;
  }

private:
  struct Count {
    unsigned Paths = 0, Kept = 0;
  };
  struct StoreSeen {
    std::map<const ReturnStmt *, Count> AtReturns;
    SavedOutput Kept; ///< on the first path that keeps one
  };

  const FunctionDecl *definition(const FunctionDecl *F) const {
    return A.Funcs.body(semantics::backwardOf(F));
  }

  /// A store keeps an output if it does so on all paths to some return. Where
  /// every path runs the store, one that keeps it is enough: no condition can
  /// tie the store to what is returned.
  bool isSure(const StoreSeen &S) const {
    unsigned Paths = 0;
    for (const auto &[Return, N] : S.AtReturns) {
      if (N.Kept == N.Paths)
        return true;
      Paths += N.Paths;
    }
    return Paths == All;
  }

  void add(Path &P, const ReturnStmt *Return) {
    ++All;
    const std::map<ThingId, unsigned> Outputs = outputs(P);
    for (const SavedStore &S : P.Stores)
      ++Seen[S].AtReturns[Return].Paths;
    std::set<SavedStore> Keeping;
    for (const auto &[Slot, S] : P.Saved)
      if (S.At)
        if (auto Kept = keeps(P, P.Slots[Slot], Outputs)) {
          StoreSeen &X = Seen[S];
          if (!X.Kept.Return)
            describe(X.Kept, P, S, Return, *Kept, P.Slots[Slot]);
          if (Keeping.insert(S).second)
            ++X.AtReturns[Return].Kept;
        }
  }

  /// Outputs that surely get the function's node as their history.
  std::map<ThingId, unsigned> outputs(Path &P) const {
    std::map<ThingId, unsigned> Result;
    const ThingId Returned = P.read(P.frame().Returned);
    std::vector<std::pair<uint64_t, ThingId>> Given;
    uint64_t Number = 1;
    if (P.Things[Returned].K == Thing::Tensor) {
      Given.emplace_back(0, Returned);
    } else if (P.Things[Returned].K == Thing::Group) {
      const Thing &List = P.Things[Returned];
      Number = List.IsOpen ? ~uint64_t(0) : List.Parts.size();
      for (const auto &[Key, Slot] : List.Parts)
        if (P.Things[P.Slots[Slot]].K == Thing::Tensor)
          Given.emplace_back(Key.K == PartKey::Number ? Key.N : ~uint64_t(0),
                             P.Slots[Slot]);
    }
    for (const auto &[I, Id] : Given) {
      const Thing &T = P.Things[Id];
      const bool IsNew = T.IsInput ? T.IsDirty : !T.MayBeInput;
      if (IsNew && !T.HasNoGradient && (Number == 1 || hasGradient(I)))
        Result.emplace(Id, I);
    }
    return Result;
  }

  bool hasGradient(uint64_t Output) const {
    return Backward && Output < 64 &&
           semantics::readsGradientOf(Backward, Output);
  }

  /// The output that is in \p What, or whose view is.
  static std::optional<ThingId>
  keeps(const Path &P, ThingId What,
        const std::map<ThingId, unsigned> &Outputs) {
    std::vector<ThingId> Tensors;
    P.tensorsIn(What, Tensors);
    for (ThingId T : Tensors) {
      if (Outputs.count(T))
        return T;
      const ThingId Root = P.Things[T].Root;
      if (Outputs.count(Root) && !P.Things[Root].IsInput &&
          P.Things[Root].Root == Root)
        return Root;
    }
    return std::nullopt;
  }

  void describe(SavedOutput &Out, const Path &P, const SavedStore &S,
                const ReturnStmt *Return, ThingId Output, ThingId What) const {
    Out.Store = S.At;
    Out.Function = S.Function;
    Out.Statement = A.known(S.Function)->Shape->statement(S.At);
    Out.Calls = S.Calls;
    Out.Return = Return;
    Out.IsInGroup = P.Things[What].K == Thing::Group;
    Out.IsView = !Out.IsInGroup && What != Output;
    if (const Expr *Made = P.Things[Output].Made)
      Out.Producers.push_back(Made);
  }

  const Analysis &A;
  const FunctionDecl *Forward, *Backward;
  unsigned All = 0; ///< paths to a return
  std::map<SavedStore, StoreSeen> Seen;
};

/// Is the context used for more than calls of its methods?
bool usesContext(const Stmt *S, const ParmVarDecl *Context) {
  if (!S)
    return false;
  if (const auto *M = dyn_cast<MemberExpr>(S);
      M && isa<CXXMethodDecl>(M->getMemberDecl()) &&
      isa<DeclRefExpr>(M->getBase()->IgnoreParenImpCasts()))
    return false;
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    return R->getDecl() == Context;
  return llvm::any_of(S->children(),
                      [&](const Stmt *C) { return usesContext(C, Context); });
}

} // namespace

std::vector<SavedOutput>
torchtidy::flow::judgeSavedData(const Analysis &A, const Chains &C,
                                SkippedFunctions &Limits) {
  std::vector<SavedOutput> Result;
  for (const FunctionFacts *X : C.functions()) {
    if (!semantics::isCustomForward(X->F) ||
        !usesContext(X->F->getBody(), X->F->getParamDecl(0)))
      continue;
    if (!Judge(A, X->F).run(Result))
      Limits.emplace_back(
          X->F, "it has too many paths to follow each of its outputs");
  }
  // One report for all instantiations and callers.
  std::map<SourceLocation, SavedOutput> ByPlace;
  for (SavedOutput &R : Result)
    ByPlace.try_emplace(R.Store->getBeginLoc(), std::move(R));
  Result.clear();
  for (auto &[Loc, R] : ByPlace)
    Result.push_back(std::move(R));
  return Result;
}

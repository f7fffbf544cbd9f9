//===- Chains.h - Events in their calling contexts --------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Event by event, chain by chain: puts what a function did into each context
/// in which the file calls it, up to a function that nobody calls.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_CHAINS_H
#define TORCHTIDY_FLOW_CHAINS_H

#include "Flow/Outside.h"

namespace torchtidy::flow {

class Chains {
public:
  explicit Chains(Analysis &A);

  /// The chains that end in \p F; one empty chain if nobody calls it. Those
  /// beyond our limits are missing, and `limits` says so.
  const std::vector<Chain> &of(const clang::FunctionDecl *F) const;

  /// The outermost function of a chain that starts in \p F.
  static const clang::FunctionDecl *root(const clang::FunctionDecl *F,
                                         const Chain &C) {
    return C.empty() ? F : C.back()->Caller;
  }

  /// The grad mode that an event of \p F met on this chain.
  Mode mode(Mode Here, const clang::FunctionDecl *F, const Chain &C) const;
  /// Its value; what even the root does not know is unknown.
  Cell value(Cell Here, const clang::FunctionDecl *F, const Chain &C) const;

  /// Where a storage lives: the frame that declares it, or the root's frame.
  struct Home {
    unsigned Frame = 0;         ///< 0 is the event's function
    Storage Here;               ///< its name there; invalid: it has none
    bool Local = false;         ///< a local variable of that frame
    std::vector<Storage> Names; ///< per frame up to Frame
  };
  Home home(const Storage &S, const clang::FunctionDecl *F,
            const Chain &C) const;

  /// The function of a frame, and where in it things happen.
  const FunctionFacts *frame(unsigned I, const clang::FunctionDecl *F,
                             const Chain &C) const;
  const clang::Expr *position(unsigned I, const clang::Expr *E,
                              const Chain &C) const {
    return I == 0 ? E : C[I - 1]->E;
  }

  /// Where values go from \p Start in a frame of the chain.
  Reach reach(FlowNode Start, unsigned Frame, const clang::FunctionDecl *F,
              const Chain &C) const;

  /// Does history flow from \p Start in a frame of the chain to \p To? See
  /// ValueFlow::feeds.
  bool feeds(FlowNode Start, unsigned Frame, FlowNode To, const Chain &C,
             ValueFlow::Admit First) const;

  /// Is the module's forward one whose parameters were frozen somewhere?
  bool isFrozen(const Storage &Module, const clang::FunctionDecl *F,
                const Chain &C, const clang::Expr *Object) const;
  bool isFrozenOrigin(const clang::Expr *Origin) const {
    return FrozenForwards.count(Origin) ||
           (!Frozen.empty() && A.ParameterUses.count(Origin));
  }
  /// Was the module put into eval mode on this chain?
  bool isEvaluated(const Storage &Module, const clang::FunctionDecl *F,
                   const Chain &C) const;
  /// Do forwards of \p X among the producers each run another module in each
  /// round of the loop: a stack of layers, a set of heads?
  static bool madeByModulesOf(const FunctionFacts &X,
                              llvm::ArrayRef<const clang::Expr *> Producers,
                              const clang::Stmt *Loop);
  /// Does a backward without retain_graph run over what these come from?
  bool isSpent(const History &H) const;

  /// Those of this file: what they do may be reported.
  const std::vector<const FunctionFacts *> &functions() const { return Own; }
  /// Those of linked files as well.
  const std::vector<const FunctionFacts *> &everywhere() const { return All; }

  /// The grad mode of a function where no visible code calls it.
  Mode entryMode(const clang::FunctionDecl *Root) const;
  /// A callback or a virtual function: which one is called there depends on
  /// who calls the caller.
  bool isOneOfSeveral(const CallSite &Site) const;

  /// Is it called from a function that was skipped?
  bool isCalledUnseen(const clang::FunctionDecl *F) const {
    return CalledUnseen.contains(F->getCanonicalDecl());
  }
  /// Outside::mayTouch of what the chain's outermost function calls so.
  bool mayBeTouched(const Storage &S, const clang::FunctionDecl *Root) const {
    return Others.mayTouch(S, Root);
  }
  bool askedOthers() const { return Others.asked(); }
  /// Functions that a limit kept from being judged in full, with the reason.
  const SkippedFunctions &limits() const { return Limits; }

private:
  History fieldHistory(const clang::FieldDecl *F) const;
  void findFrozen();

  /// What stands for a module across functions.
  using Key = const void *;
  void keysOf(const Storage &S, const clang::FunctionDecl *F, const Chain &C,
              llvm::SmallVectorImpl<Key> &Out) const;

  /// Of a function that was skipped.
  void addUnseen(const clang::Stmt *S);
  void limited(const clang::FunctionDecl *F, const std::string &Why) const;

  Analysis &A;
  Outside Others;
  std::vector<const FunctionFacts *> Own, All;
  llvm::DenseSet<const clang::FunctionDecl *> CalledUnseen;
  mutable std::map<const clang::FunctionDecl *, std::vector<Chain>> Known;
  mutable SkippedFunctions Limits;
  llvm::DenseSet<Key> Frozen;
  llvm::DenseSet<const clang::Expr *> FrozenForwards;
  llvm::DenseSet<const clang::Expr *> BackwardOrigins;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_CHAINS_H

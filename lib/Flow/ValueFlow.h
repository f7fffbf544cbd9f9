//===- ValueFlow.h - Where values go ----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A flow-insensitive graph of where values go: from storages and expressions
/// to their consumers, over calls. It answers what looks forward in time: may
/// this reach a backward, leave the program's visible part, come back to
/// itself?
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_VALUEFLOW_H
#define TORCHTIDY_FLOW_VALUEFLOW_H

#include "Flow/Lattice.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace torchtidy::flow {

struct CallSite;

/// A node: an expression, a storage (its field or its root; a method: what it
/// is called on), what a function returns, or one of the sinks.
struct FlowNode {
  enum Kind : uint8_t {
    Expression,
    Variable,
    Return,
    Backward,
    Escape,
    Definition ///< what a local variable is from one assignment to the next
  } K;
  const void *P = nullptr;

  static FlowNode of(const clang::Expr *E) { return {Expression, E}; }
  static FlowNode of(const clang::ValueDecl *D) {
    return {Variable, D->getCanonicalDecl()};
  }
  static FlowNode ofReturn(const clang::FunctionDecl *F) {
    return {Return, F->getCanonicalDecl()};
  }
  /// By what is assigned.
  static FlowNode ofDefinition(const clang::Expr *E) { return {Definition, E}; }
  static FlowNode backward() { return {Backward, nullptr}; }
  static FlowNode escape() { return {Escape, nullptr}; }
  bool operator==(const FlowNode &O) const { return K == O.K && P == O.P; }
  bool operator<(const FlowNode &O) const {
    return std::tie(K, P) < std::tie(O.K, O.P);
  }
};

/// The field if there is one, else the root: objects of one class are merged.
std::optional<FlowNode> nodeOf(const Storage &S);

struct FlowEdge {
  FlowNode To = FlowNode::escape();
  bool Cut = false; ///< history does not go over it: detach, argmax
  /// Entering the callee of a call, or leaving it for the caller.
  enum : uint8_t { Plain, Enter, Exit } Crossing = Plain;
  const CallSite *Site = nullptr;
  bool Forward = false; ///< passes through a module's forward
  bool Summary = false; ///< of a forward: its body is seen and says more
  /// A leak into a function of another file; it goes where that is known.
  const clang::FunctionDecl *UnlessSeen = nullptr;
};

/// What a search found.
struct Reach {
  bool Backward = false;     ///< history reaches a backward or autograd::grad
  bool DataBackward = false; ///< the data does, over a cut
  bool Escapes = false;    ///< history leaves by return, parameter, opaque call
  bool OpaqueCall = false; ///< ... by a call whose body is unseen
  bool GivenUp = false;    ///< too large or deep a search: as good as unseen
};

class ValueFlow {
public:
  /// \p Owner is the function that holds the expression.
  void add(FlowNode From, FlowEdge E);
  void own(const clang::Expr *E, const clang::FunctionDecl *Owner) {
    Owners[E] = Owner->getCanonicalDecl();
  }
  void addCaller(const clang::FunctionDecl *Callee, const CallSite *Site) {
    Callers[Callee->getCanonicalDecl()].push_back(Site);
  }
  const std::vector<const CallSite *> &
  callers(const clang::FunctionDecl *F) const;

  void forEach(
      llvm::function_ref<void(const FlowNode &, const FlowEdge &)> Show) const;
  const clang::FunctionDecl *owner(const clang::Expr *E) const {
    return Owners.lookup(E);
  }

  /// Is \p E assigned to a variable whose assignments are told apart?
  bool defines(const clang::Expr *E) const;

  /// Follows values from \p Start, entered through \p Chain (root first).
  Reach reach(FlowNode Start, const std::vector<const CallSite *> &Chain) const;

  using Admit = llvm::function_ref<bool(const clang::Expr *)>;
  /// Does history flow from \p From to \p To without passing a forward? Only
  /// by reads of \p From that \p First admits.
  bool connects(
      FlowNode From, FlowNode To,
      Admit First = [](const clang::Expr *) { return true; }) const;

  /// Does history flow to \p To by some way, forwards included? Reads of
  /// \p From that \p First turns down do not count: the node of a field stands
  /// for that field of all objects.
  bool feeds(FlowNode From, FlowNode To,
             const std::vector<const CallSite *> &Chain, Admit First) const;

private:
  struct Place;
  /// Pushes what comes behind \p P. Empty: calls are too deep; else, whether
  /// one of the ways leaves a callee.
  std::optional<bool>
  follow(Place &P,
         llvm::function_ref<void(const FlowEdge &, Place)> Push) const;

  struct Less {
    bool operator()(const FlowNode &A, const FlowNode &B) const {
      return A < B;
    }
  };
  std::map<FlowNode, std::vector<FlowEdge>> Edges;
  llvm::DenseMap<const clang::Expr *, const clang::FunctionDecl *> Owners;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<const CallSite *>>
      Callers;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_VALUEFLOW_H

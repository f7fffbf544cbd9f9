//===- Summary.h - What a function does -------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What one function does, in terms of its own entry: parametric in the
/// caller's grad mode and in the values of parameters, `this`, captured
/// variables and globals.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_SUMMARY_H
#define TORCHTIDY_FLOW_SUMMARY_H

#include "Flow/Lattice.h"
#include "Flow/Structure.h"
#include <memory>

namespace torchtidy::flow {

/// A happening that a check may care about.
struct Event {
  enum Kind : uint8_t {
    Forward,  ///< Target: module; Result history in H
    Store,    ///< Target: holder; H: what is stored
    Backward, ///< Target: loss, if it is a variable; H, Shape: the loss
    Step,     ///< Target: optimizer; ByHand: the parameter, if known
    ZeroGrad, ///< Target: optimizer or module; ByHand: invalid
    Bound,    ///< Target: what was cleared, popped, overwritten, detached
    Eval,
    Train,
    Freeze,    ///< requires_grad off: Target: module
    ScaleGrad, ///< gradients are multiplied or divided
    LostGuard, ///< a guard temporary that dies at once
    NeedsGrad, ///< autograd::grad (Stored, H: its outputs), retain_grad, hooks,
               ///< requires_grad_
    SetsGrad,  ///< GradMode::set_enabled; Grad: what it is from then on
    Unseen     ///< a call whose body is not visible
  } K;
  enum StoreKind : uint8_t {
    Insert,     ///< a container grows
    Indexed,    ///< `v[k] = t`
    Accumulate, ///< `total += t`
    InPlace,    ///< `buf[i].copy_(t)`, `buf[i] = t`
    Rebind      ///< `total = f(total, t)`; only if it depends on itself
  } How = Insert;
  const clang::Expr *E = nullptr;
  const clang::Expr *Stored = nullptr; ///< of Store: the value's expression
  const clang::Expr *Key = nullptr;    ///< of Store: the key or index, if any
  Storage Target;
  History H;
  LossShape Shape;
  Mode Grad;
  bool RetainsGraph = false; ///< of Backward: may retain or create the graph
  bool HasGradient = false;  ///< of Backward: a gradient argument is given
  bool FixedHolder = false;  ///< of Store: std::array, C array
  bool ByHand = false;       ///< of Step, ZeroGrad: no call of that name
  bool IsFold = false;       ///< of Store: the result of std::accumulate
  /// Of Unseen: a function that another file may define.
  const clang::FunctionDecl *Callee = nullptr;
  /// Of Forward: the locals that hold what it gave the last time it ran.
  std::vector<Storage> Holders;
  /// The call of an algorithm that repeats this, if not a loop statement.
  const clang::Expr *Algorithm = nullptr;
};

/// A call whose callee's body is visible.
struct CallSite {
  enum Kind : uint8_t {
    Direct,
    Algorithm, ///< by a standard algorithm: many times
    Thread,    ///< on another thread: grad mode is on there
    Team,      ///< on this thread and others at once, many times
    Task       ///< on another thread, under this one's grad mode
  } K = Direct;
  const clang::FunctionDecl *Caller = nullptr, *Callee = nullptr;
  const clang::Expr *E = nullptr;
  Mode Grad;
  bool IsForward =
      false; ///< the call is a module's forward, an Event of its own
  /// Grad mode does not reach the callee.
  bool crossesThreads() const { return K == Thread || K == Team; }
  bool repeats() const { return K == Algorithm || K == Team; }
  bool SameThis = false; ///< a lambda: its `this` is the caller's
  Storage This;
  struct Binding {
    Storage Loc; ///< what the argument names, if anything
    Cell Passed; ///< its value
  };
  std::map<const clang::ValueDecl *, Binding> Parameters;
  std::shared_ptr<const State> Before; ///< the caller's state at the call

  /// What a storage of the callee is in the caller; invalid if it has no name.
  Storage toCaller(const Storage &S) const;
};

/// An operation that is an error for a tensor of inference mode.
struct Meeting {
  enum Kind : uint8_t {
    Saves,   ///< an operator saves it for backward
    Changes, ///< it is changed in place outside inference mode
    Requires ///< it is made to require grad outside inference mode
  } K;
  const clang::Expr *E = nullptr;
  const clang::Expr *Operand = nullptr;
  Birth B;
  Mode Grad;
  struct Condition {
    History H;
    bool Needs; ///< it requires grad for sure, unless its module is frozen
  };
  /// Of Saves: it does if one of these requires grad, or the parameters of the
  /// module.
  std::vector<Condition> If;
  bool IfParameters = false;
  Storage Module;
};

struct FunctionFacts {
  const clang::FunctionDecl *F = nullptr;
  std::unique_ptr<Structure> Shape;

  enum : uint8_t { NotYet, InProgress, Done, Skipped } Status = NotYet;
  std::string WhySkipped;

  /// Of another file: its expressions are only as exact as a summary is.
  bool Foreign = false;
  Mode Entry;                  ///< of Foreign: where nobody calls it
  bool ReadsGradients = false; ///< of Foreign
  bool DividesRate = false;    ///< of Foreign: a learning rate

  Cell Returned{History(), LossShape(), Birth::nothing()};
  llvm::SmallVector<Cell, 2> ReturnedElements; ///< of tuples and aggregates
  std::optional<bool> ReturnsNeed; ///< all of it requires grad for sure
  Storage ReturnedLoc; ///< what a returned reference or handle names
  Mode Exit;
  std::map<Storage, Cell> Writes; ///< of what outlives the function
  std::vector<Event> Events;
  std::vector<Meeting> Meetings;
  std::vector<std::unique_ptr<CallSite>> Calls;
  /// Calls of what another file may define; only with Options::Links.
  std::vector<std::unique_ptr<CallSite>> Elsewhere;

  bool isLocal(const Storage &S) const;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_SUMMARY_H

//===- Calls.h - What a call means ------------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// One classification of every call that the analysis meets, in all spellings:
/// members, operators, free functions, holders, jit. Says what a call means;
/// how values move is lib/Flow's business.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_CALLS_H
#define TORCHTIDY_SEMANTICS_CALLS_H

#include "Semantics/Operators.h"
#include "Semantics/Types.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace torchtidy::semantics {

enum class CallKind {
  Opaque,   ///< neither library nor resolvable: anything may happen
  User,     ///< a function of the project; its body may be visible
  Through,  ///< library: the result carries what goes in
  Access,   ///< the result names (part of) the object: `v[i]`, `*it`, `get()`
  Same,     ///< the result names the first argument: std::move, std::get
  Look,     ///< reads, keeps nothing, the result has no history: item(), size()
  Operator, ///< a tensor operator
  Detach,   ///< a new tensor without history that shares storage
  DetachInPlace,
  Gradient, ///< `.grad()`, `.mutable_grad()`
  MakeLeaf, ///< requires_grad_(true), register_parameter
  StopGrad, ///< requires_grad_(false)
  Backward,
  AutogradGrad, ///< torch::autograd::grad
  Forward,
  Step,
  ZeroGrad,
  Train,
  Eval,
  Parameters, ///< parameters(), buffers(), children(): part of the module
  SetGradMode,
  GetGradMode,
  Insert,       ///< a container grows
  Bound,        ///< a container shrinks or starts anew: clear, pop, erase
  Assign,       ///< emplace of an optional, reset with a value
  Launch,       ///< runs a callable on another thread
  Algorithm,    ///< std algorithm: a loop round its callable
  BackInserter, ///< an output iterator that inserts into its argument
  Tie           ///< std::tie
};

/// Where a launcher runs its callable.
enum class Launcher : uint8_t {
  Thread, ///< on another thread: grad mode is on there
  Team,   ///< on this thread and others, many times; on the others it is on
  Task    ///< on a thread that is given this one's grad mode: at::launch
};

struct Call {
  CallKind Kind = CallKind::Opaque;
  Launcher Where = Launcher::Thread; ///< of Launch
  const clang::Expr *E = nullptr;
  const clang::FunctionDecl *Callee = nullptr;
  const clang::Expr *Object = nullptr; ///< implicit object, if there is one
  llvm::SmallVector<const clang::Expr *, 4> Args; ///< without the object
  const semantics::Operator *Op = nullptr;        ///< of tensor operators
  bool InPlace = false; ///< the operator writes its object or first argument
  llvm::StringRef Name;
};

struct CallNames {
  std::vector<std::string> ForwardNames, ThreadLaunchers, NonConsumers;
};

/// Takes CallExpr in all forms and constructors of thread types.
Call classify(const clang::Expr *E, const Types &T, const CallNames &Names);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_CALLS_H

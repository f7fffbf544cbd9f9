//===- Facts.h - What checks report -----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What checks report: facts with everything a message, a note or a proof
/// needs. Judging is done here; a check only words it.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_FACTS_H
#define TORCHTIDY_FLOW_FACTS_H

#include "Flow/Summary.h"
#include "Semantics/Types.h"

namespace torchtidy::flow {

/// A tensor with history is kept past the iteration that made it.
struct RetainedGraph {
  const Event *Store = nullptr;
  const clang::FunctionDecl *Function = nullptr; ///< that stores
  const clang::Stmt *Statement = nullptr;
  std::vector<const clang::Expr *> Producers;
  Storage Holder; ///< where it lives
  const clang::ValueDecl *HolderDecl = nullptr;
  const clang::Stmt *Loop = nullptr;      ///< null: called repeatedly
  std::vector<const clang::Expr *> Calls; ///< from the store outwards
  /// A backward freed the saved tensors: only graph nodes stay.
  bool Spent = false;
  bool MayBeBounded = false;
  bool StoresTensor = false; ///< one tensor, not something that carries one
  bool AddsToItself = false; ///< the new value is made from the old one
};

/// Inference that records history.
struct UnguardedForward {
  const Event *Forward = nullptr;
  /// The forward, or the call behind which training does not use it as well.
  const clang::Expr *At = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  std::vector<const clang::Expr *> Calls;   ///< the chain without guard
  const clang::Stmt *OtherThread = nullptr; ///< the launch, if one is between
  const clang::Expr *LostGuard = nullptr;   ///< a temporary meant as guard
  const clang::Stmt *Region = nullptr; ///< the loop or body that is evaluated
  bool FixIsSafe = false;              ///< nothing below needs gradients
};

/// Gradients of several micro-batches are summed unscaled.
struct UnscaledAccumulation {
  const Event *Backward = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  const clang::Stmt *Loop = nullptr;
  const clang::Expr *Step = nullptr;
  const clang::Expr *Window = nullptr; ///< the condition of step, if any
  bool WindowInScope = false; ///< its names mean the same at the backward
  std::vector<const clang::Expr *> Calls;
  std::vector<const clang::Expr *> Producers;
};

/// State that is carried from round to round with its history, while each round
/// runs backward over it.
struct UndetachedState {
  const Event *Store = nullptr; ///< hands the state on
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  const clang::Stmt *Loop = nullptr; ///< null: called repeatedly
  const Event *Backward = nullptr;
  Storage Holder;
  const clang::ValueDecl *HolderDecl = nullptr;
  std::vector<const clang::Expr *> Calls;
  std::vector<const clang::Expr *> Producers;
};

/// Grad mode is off where training needs it.
struct NoGradTraining {
  enum {
    Covered,     ///< the whole computation of a loss
    NotRestored, ///< left off, and training goes on
    LeftOff      ///< left off on one way out, in a program that trains
  } How = Covered;
  const clang::Expr *TurnsOff = nullptr; ///< a guard's construction or a call
  const clang::FunctionDecl *Function = nullptr; ///< that holds it
  const clang::Stmt *Statement = nullptr;
  bool IsGuard = false;
  /// Where the loss is differentiated; not of LeftOff.
  const Event *Backward = nullptr;
  const clang::Stmt *BackwardStatement = nullptr;
  std::vector<const Event *> Others;      ///< further ones
  std::vector<const clang::Expr *> Calls; ///< from the backward outwards
  const clang::Stmt *Loop = nullptr;      ///< of NotRestored, if there is one
  const clang::Stmt *Leaves = nullptr;    ///< of LeftOff: the way out
};

/// A tensor that was made under inference mode meets autograd outside.
struct InferenceEscape {
  const Meeting *What = nullptr;
  const clang::Expr *At = nullptr; ///< where it throws, or enters a forward
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  std::string Tensor;    ///< its name, if it has one there
  bool IsModule = false; ///< ... of the module whose parameter it is
  const clang::Expr *Made = nullptr;
  const clang::Stmt *MadeStatement = nullptr;
  const clang::Expr *Guard = nullptr; ///< null: that of a caller
  std::vector<const clang::Expr *> Calls;
};

/// A guard that guards nothing: a temporary, or a function's declaration.
struct UnnamedGuard {
  enum {
    Temporary,  ///< `torch::NoGradGuard();`
    Result,     ///< of a call: `disable_grad();`
    Declaration ///< `torch::NoGradGuard guard();`
  } How = Temporary;
  clang::SourceLocation Loc;
  const clang::Expr *Made = nullptr;             ///< of Temporary and Result
  const clang::FunctionDecl *Function = nullptr; ///< of Declaration
  clang::QualType Type;
  semantics::GuardKind Kind = semantics::GuardKind::None;
  const clang::FunctionDecl *In = nullptr;
  const clang::Stmt *Statement = nullptr;
  const clang::CompoundStmt *Block = nullptr; ///< that it should have guarded
  bool TurnsOff = false;                      ///< it would turn grad mode off
  bool CoversTraining = false; ///< something in the block needs grad mode
  bool NamingIsEnough = false; ///< with a name the code means what it says
  bool StockCheckSees = false; ///< so does bugprone-unused-raii
  std::string FreeName;
};

/// Gradients are used again by the next step, or zeroed before they are used.
struct WrongZeroGrad {
  enum {
    Missing,      ///< At is a step that nothing zeroes for
    MicroBatches, ///< At zeroes what further micro-batches add to
    BeforeStep    ///< At zeroes what the step would use
  } How = Missing;
  const Event *At = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  const clang::Stmt *Loop = nullptr; ///< null: called repeatedly
  const clang::Expr *Backward = nullptr;
  const clang::Expr *Step = nullptr;   ///< where At zeroes
  const clang::Expr *Window = nullptr; ///< of MicroBatches: when it steps
  std::vector<const clang::Expr *> Calls;
};

/// A backward that keeps its graph: for nothing, or in a cycle for ever.
struct KeptGraph {
  const Event *Backward = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  bool CreatesGraph = false;
  const clang::Expr *Leaf = nullptr; ///< of CreatesGraph: whose gradient stays
  const clang::Stmt *Loop = nullptr;
  std::vector<const clang::Expr *> Calls;
};

/// An output of a custom function that the function's own node keeps: a cycle.
struct SavedOutput {
  const clang::Expr *Store = nullptr;
  const clang::FunctionDecl *Function = nullptr; ///< that stores
  const clang::Stmt *Statement = nullptr;
  std::vector<const clang::Expr *> Calls; ///< from the store outwards
  const clang::ReturnStmt *Return = nullptr;
  std::vector<const clang::Expr *> Producers; ///< empty: an input
  bool IsView = false;                        ///< a view of the output is kept
  bool IsInGroup = false;                     ///< the output is in what is kept
};

/// A variable outside a loop keeps the graph of one round while the forward of
/// the next builds its own.
struct StaleOutput {
  const Event *Store = nullptr; ///< lets go of it, too late
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  const Event *Forward = nullptr;
  const clang::Stmt *Loop = nullptr;
  const clang::VarDecl *Variable = nullptr;
  Storage Holder;
  /// A backward runs over it and keeps what it saved; else none does.
  const clang::Expr *KeptBy = nullptr;
};

/// A backward fills the gradients of a module that no optimizer here owns.
struct UnownedGradients {
  const Event *Backward = nullptr;
  const clang::FunctionDecl *Function = nullptr;
  const clang::Stmt *Statement = nullptr;
  const clang::Stmt *Loop = nullptr; ///< null: none that is seen
  const Event *Forward = nullptr;
  const clang::ValueDecl *Module = nullptr; ///< a variable or field
  const clang::Expr *Step = nullptr;        ///< of an optimizer of others
  std::vector<const clang::Expr *> Calls;   ///< from the backward outwards
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_FACTS_H

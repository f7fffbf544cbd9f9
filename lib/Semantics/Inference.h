//===- Inference.h - Tensors of inference mode ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A tensor that is made under inference mode has no version counter for the
/// rest of its life: autograd can neither save nor follow it. Which calls make
/// a tensor, and which are an error for such a one outside inference mode.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_INFERENCE_H
#define TORCHTIDY_SEMANTICS_INFERENCE_H

#include "Semantics/Calls.h"

namespace torchtidy::semantics {

/// Where the result of an Operator or Detach lives.
enum class Memory {
  New,  ///< always a tensor of its own
  View, ///< always of the kind that its first operand is of
  May   ///< one or the other: contiguous(), to()
};
Memory memoryOf(const Call &C);

/// An operand that is surely saved for backward.
struct SavedOperand {
  const clang::Expr *Operand = nullptr;
  /// If one of these requires grad.
  llvm::SmallVector<const clang::Expr *, 2> If;
  bool IfParameters = false; ///< ... or the parameters of the module do
  bool IsModule = false;     ///< Operand is one: its weight is saved
};
/// Of an Operator or a Forward; empty where it is not certain.
llvm::SmallVector<SavedOperand, 2> savedOperands(const Call &C, const Types &T);

/// Does an operator in place count as a change of its first operand?
bool countsAsChange(const Call &C);

/// The tensor that a MakeLeaf surely makes require grad, or null.
const clang::Expr *madeToRequireGrad(const Call &C, const Types &T,
                                     const clang::ASTContext &Context);

/// Is a module made, with new parameters, if none is given?
bool makesModule(const Call &C);
/// The result has parameters of its own: clone().
bool copiesModule(const Call &C);
/// May put other parameters into its object: to().
bool mayMoveParameters(const Call &C);
/// What an optimizer that is made here is given to update in place, or null.
const clang::Expr *updatedInPlace(const Call &C, const Types &T);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_INFERENCE_H

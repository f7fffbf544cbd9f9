//===- Arguments.h - What arguments say -------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the arguments of a call ask for: flags, gradients, options, types.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_ARGUMENTS_H
#define TORCHTIDY_SEMANTICS_ARGUMENTS_H

#include "Semantics/Calls.h"

namespace torchtidy::semantics {

/// The value of a constant bool, through casts and defaults.
std::optional<bool> constantBool(const clang::Expr *E,
                                 const clang::ASTContext &Context);

/// Is \p A the argument that the caller left out, or an empty value such as
/// `{}`, `nullopt` or `Tensor()`?
bool isAbsent(const clang::Expr *A);

/// The retain_graph / create_graph arguments of a Backward or AutogradGrad
/// call; empty: not constant.
std::optional<bool> retainsGraph(const Call &C, const clang::ASTContext &Ctx);
std::optional<bool> createsGraph(const Call &C, const clang::ASTContext &Ctx);

/// Does a Backward name the leaves that it shall reach?
bool limitsInputs(const Call &C);

/// The `gradient` argument of backward, or null.
const clang::Expr *gradientArgument(const Call &C);

/// Does the call make a tensor that requires grad by its options?
bool makesLeafByOptions(const Call &C);

/// Does the expression ask for it: `torch::requires_grad()`, or the options'
/// setter, in a variable too?
bool requiresGradOption(const clang::Stmt *S, unsigned Depth = 0);

/// `to(kLong)`, `.type(...)`: a conversion to an integer type ends history.
bool convertsToInteger(const Call &C);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_ARGUMENTS_H

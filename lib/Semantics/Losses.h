//===- Losses.h - What a loss is and what keeps it one ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// How losses are reduced, and what arithmetic does to them.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_LOSSES_H
#define TORCHTIDY_SEMANTICS_LOSSES_H

#include "Semantics/Calls.h"

namespace torchtidy::semantics {

/// What a loss reduces to.
enum class LossKind { Unreduced, Mean, Sum, Unknown };
/// Of an operator call, its reduction argument considered; \p C is an Operator
/// or a Forward of a loss module.
LossKind lossKindOf(const Call &C, const Types &T);

/// What an operator does to a loss that it gets, in place or not.
enum class LossStep {
  Combine, ///< add, sub: terms of one loss
  Scale,   ///< mul, div: by whatever
  Pool,    ///< mean over values that may be scaled losses already
  Keep,    ///< the same value: views, copies, devices, the sign
  Other
};
LossStep lossStepOf(const Call &C);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_LOSSES_H

//===- Operators.h - What an operator does to history -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Facts about ATen's operators by the name that C++ spells (`max`, `add_`,
/// `max_out`), all overloads merged towards "may". The table is generated from
/// PyTorch's own derivative data by tools/gen-operators, which states the
/// rules.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_OPERATORS_H
#define TORCHTIDY_SEMANTICS_OPERATORS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace torchtidy::semantics {

enum class View : uint8_t { No, May, Yes };

/// What the backward node keeps alive; Parts: whatever the operators it is
/// composed of keep.
enum class Saves : uint8_t { None = 0, Inputs = 1, Result = 2, Parts = 4 };

constexpr Saves operator|(Saves A, Saves B) {
  return Saves(uint8_t(A) | uint8_t(B));
}
constexpr bool operator&(Saves A, Saves B) { return uint8_t(A) & uint8_t(B); }

/// Mean and Sum always; MeanDefault: by its `reduction` argument, which may be
/// left out; Argument: by one that may not.
enum class Reduction : uint8_t { None, Mean, Sum, MeanDefault, Argument };

struct Operator {
  llvm::StringLiteral Name;
  uint8_t Outputs;        ///< of the overload with the most
  uint8_t Differentiable; ///< bit i: output i may have history
  uint8_t Varies;         ///< bit i: overloads or conditions disagree on it
  View Aliases;           ///< outputs share their argument's storage
  uint16_t Mutated;       ///< bit i: argument i is written, self is argument 0
  Saves Saved;
  Reduction Reduces;
  int8_t ReductionArgument; ///< its index counting self, or -1
  uint32_t SavedIf = 0;     ///< byte i, bit j: see savesFor()

  /// For an in-place operator: may write history into its argument. Without it
  /// the argument keeps what it had, unless the operator is `detach_`.
  bool mayHaveHistory(unsigned Output = 0) const {
    return Output < 8 && (Differentiable >> Output & 1);
  }
  bool surelyHasHistory(unsigned Output = 0) const {
    return mayHaveHistory(Output) && !(Varies >> Output & 1);
  }
  bool mutates(unsigned Argument) const {
    return Argument < 16 && (Mutated >> Argument & 1);
  }
  /// Tensors given as both: is one surely saved for backward if the other
  /// requires grad?
  bool savesFor(unsigned Saved, unsigned NeedsGrad) const {
    return Saved < 4 && NeedsGrad < 8 &&
           (SavedIf >> (8 * Saved + NeedsGrad) & 1);
  }
};

/// Null for a name that is none of ATen's public operators.
const Operator *lookupOperator(llvm::StringRef Name);

/// All rows, sorted by name.
llvm::ArrayRef<Operator> allOperators();

/// The operator behind a C++ operator on tensors: "+" is add (or, unary, a
/// copy: empty), "-" sub or neg, "+=" add_. Empty if there is none.
llvm::StringRef operatorOfSpelling(llvm::StringRef Spelling, bool Unary);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_OPERATORS_H

//===- LearningRates.h - Learning rates that scale gradients ----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A learning rate that is divided by the number of micro-batches does what a
/// divided loss does. The quotient may wait in a variable or a field.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_LEARNINGRATES_H
#define TORCHTIDY_FLOW_LEARNINGRATES_H

#include "Flow/Chains.h"

namespace torchtidy::flow {

class LearningRates {
public:
  LearningRates(const Analysis &A, const Chains &C);

  /// Does it make an optimizer with a divided learning rate, or set one to it?
  bool divides(const FunctionFacts &X) const;

private:
  void findQuotients(const clang::Stmt *S);
  bool isQuotient(const clang::Expr *E) const;
  bool isScaling(const clang::BinaryOperator *B, clang::BinaryOperatorKind Div,
                 clang::BinaryOperatorKind Mul) const;
  bool holdsQuotient(const clang::ValueDecl *D) const;
  bool divides(const clang::Stmt *S) const;
  bool containsDivision(const clang::Stmt *S, unsigned Depth) const;

  const Analysis &A;
  /// Fields and variables that get a quotient after their declaration.
  llvm::SmallPtrSet<const clang::ValueDecl *, 4> Quotients;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_LEARNINGRATES_H

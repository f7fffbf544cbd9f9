//===- Windows.h - Steps, and the rounds between them -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Where functions step and zero gradients, calls included, and which
/// conditions let that happen once in several rounds only.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_WINDOWS_H
#define TORCHTIDY_FLOW_WINDOWS_H

#include "Flow/Analysis.h"

namespace torchtidy::flow {

/// A condition that counts rounds: `++i % k == 0`, `(i & 3) == 3`, `n >= k`,
/// a bool that was computed so. Anything that looks at tensors, floating point
/// values or calls is something else (a NaN skip, a KL limit).
class WindowCondition {
public:
  explicit WindowCondition(const Analysis &A) : A(A) {}

  bool matches(const clang::Expr *E, unsigned Depth = 0) const;
  /// It holds in every k-th round: there is a modulus in it.
  bool recurs(const clang::Expr *E, unsigned Depth = 0) const;

private:
  const Analysis &A;
};

/// What a function does to optimizers, calls included: the places in it.
struct Sites {
  llvm::SmallVector<const clang::Expr *, 4> Steps, Zeros;
};

class Happenings {
public:
  explicit Happenings(const Analysis &A) : A(A) {}

  /// Does a function or one that it calls?
  bool does(const FunctionFacts &X, Event::Kind K) const;
  Sites sites(const FunctionFacts &X) const;
  /// Events of a kind below \p Within (null: anywhere), each with its function
  /// and its place in \p X.
  struct Found {
    const Event *E;
    const FunctionFacts *In;
    const clang::Expr *At;
  };
  std::vector<Found> below(const FunctionFacts &X, const clang::Stmt *Within,
                           Event::Kind K) const;
  /// Does code below \p S ask a tensor for its gradient?
  bool readsGradients(const clang::Stmt *S) const;

private:
  const Analysis &A;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_WINDOWS_H

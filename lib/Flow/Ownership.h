//===- Ownership.h - Which optimizer owns which parameters ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Which optimizer was made over the parameters of which modules, as far as the
/// places where it is made say so.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_OWNERSHIP_H
#define TORCHTIDY_FLOW_OWNERSHIP_H

#include "Flow/Analysis.h"

namespace torchtidy::flow {

class Ownership {
public:
  explicit Ownership(const Analysis &A) : A(A) {}

  using Decls = llvm::SmallPtrSet<const clang::ValueDecl *, 4>;
  /// The variables and fields whose `parameters()` an optimizer was made with;
  /// empty: not known.
  Decls ownedBy(const Storage &Optimizer) const;

  /// Is it known what it was made with: parameters of modules that have names,
  /// and tensors of its own function?
  bool isKnown(const Storage &Optimizer) const;

  /// Does \p Zero surely zero other gradients than those of \p Optimizer? Both
  /// are named as in one function.
  bool isForOthers(const Event &Zero, const Storage &Target,
                   const Storage &Optimizer) const;

private:
  /// False if something else is among the parameters.
  bool collect(const clang::Stmt *Init, Decls &Owned,
               bool TakesTensors = false) const;

  const Analysis &A;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_OWNERSHIP_H

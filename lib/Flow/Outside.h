//===- Outside.h - What code outside of this file may do --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What code outside of this file may do: call functions under some grad mode,
/// empty what they fill.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_OUTSIDE_H
#define TORCHTIDY_FLOW_OUTSIDE_H

#include "Flow/Analysis.h"
#include "llvm/ADT/DenseSet.h"

namespace torchtidy::flow {

/// Call sites from the event's function outwards.
using Chain = std::vector<const CallSite *>;

class Outside {
public:
  explicit Outside(const Analysis &A) : A(A) {}

  /// Is \p E of \p X, called by way of \p C, a backward that surely runs and
  /// whose loss has history only if grad mode was on when the chain's outermost
  /// function began? Then it was on: else the backward would be an error.
  void learn(const Event &E, const FunctionFacts &X, const Chain &C);

  /// The grad mode under which a function begins that nobody here calls.
  Mode entry(const clang::FunctionDecl *Root) const;

  /// May code elsewhere change a member or global that \p Root calls \p S?
  bool mayTouch(const Storage &S, const clang::FunctionDecl *Root) const;
  /// Did that depend on other files?
  bool asked() const { return Asked; }

private:
  bool inMainFile(const clang::Decl *D) const;

  bool mayBeTouched(const Storage &S, const clang::FunctionDecl *Root) const;

  const Analysis &A;
  mutable bool Asked = false;
  llvm::DenseSet<const clang::FunctionDecl *> ProvedOn;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_OUTSIDE_H

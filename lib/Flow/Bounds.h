//===- Bounds.h - What empties a holder -------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the clears, pops and new beginnings that keep a holder from growing.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_BOUNDS_H
#define TORCHTIDY_FLOW_BOUNDS_H

#include "Flow/Analysis.h"

namespace torchtidy::flow {

class Bounds {
public:
  explicit Bounds(const Analysis &A) : A(A) {}

  /// Is \p Holder emptied in a function, calls included? Only below \p Within,
  /// if that is given. What happens a first time only does not count.
  bool emptied(const FunctionFacts &X, const Storage &Holder,
               const clang::Stmt *Within) const;

  using Visit = llvm::function_ref<bool(const Event &, const FunctionFacts &,
                                        const Storage &)>;
  /// Shows the events of a function, calls included, each with what the holder
  /// is called there, until \p V says that it has found something.
  bool anyEvent(const FunctionFacts &X, const Storage &Holder,
                const clang::Stmt *Within, Visit V) const {
    std::set<std::pair<const FunctionFacts *, Storage>> Seen;
    return anyEvent(X, Holder, Within, V, Seen);
  }

  bool isBound(const Event &E) const;
  /// Is what is stored made from the holder's own old value?
  bool dependsOnItself(const Event &E) const;

  /// Does an event change the holder or something above or below it, and not a
  /// first time only?
  bool renews(const Event &E, const FunctionFacts &X, const Storage &Holder,
              const clang::Stmt *Within) const;

private:
  bool
  anyEvent(const FunctionFacts &X, const Storage &Holder,
           const clang::Stmt *Within, Visit V,
           std::set<std::pair<const FunctionFacts *, Storage>> &Seen) const;
  bool isFirstTime(const clang::Expr *Condition, const Storage &Holder) const;
  bool names(const clang::Expr *E, const Storage &Holder) const;

  const Analysis &A;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_BOUNDS_H

//===- ModuleUses.h - What a file does with a module ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds modules whose parameters nobody touches: all that names them runs
/// them, sets their mode, moves, loads or saves them. Whatever else is done
/// with a module may hand its parameters to an optimizer, freeze them, read or
/// zero their gradients.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_MODULEUSES_H
#define TORCHTIDY_FLOW_MODULEUSES_H

#include "Flow/Analysis.h"
#include "llvm/ADT/DenseSet.h"

namespace torchtidy::flow {

/// The variable or field that a module's storage begins with, or null.
const clang::ValueDecl *moduleOf(const Storage &S, const semantics::Types &T);

class ModuleUses {
public:
  explicit ModuleUses(const Analysis &A);

  /// Is the module of a variable or field only run, under this name and those
  /// it is given to by calls?
  bool isOnlyRun(const clang::ValueDecl *D) const;
  /// Is more than that done with some module of this class?
  bool isTouched(clang::QualType T) const;
  /// Does the module own parameters for sure, and does its class leave them
  /// alone?
  bool isPlain(clang::QualType T) const;
  /// Is it made by its own declaration, and not of others?
  bool isMadeHere(const clang::ValueDecl *D) const;

private:
  class Visitor;
  bool isPlain(const clang::CXXRecordDecl *R, unsigned Depth) const;
  bool touchesParameters(const clang::Stmt *S) const;
  bool makesNew(const clang::Stmt *Init) const;

  const Analysis &A;
  llvm::DenseSet<const clang::ValueDecl *> Touched;
  llvm::DenseMap<const clang::ValueDecl *,
                 llvm::SmallVector<const clang::ValueDecl *, 2>>
      GivenTo;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_MODULEUSES_H

//===- Names.h - Comparing names --------------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_SEMANTICS_NAMES_H
#define TORCHTIDY_SEMANTICS_NAMES_H

#include "clang/AST/Expr.h"
#include "llvm/ADT/StringRef.h"
#include <initializer_list>

namespace torchtidy::semantics {

inline bool isOneOf(llvm::StringRef Name,
                    std::initializer_list<llvm::StringRef> Names) {
  return llvm::is_contained(Names, Name);
}

inline bool isLibTorchNamespace(llvm::StringRef Top) {
  return isOneOf(Top, {"at", "c10", "torch"});
}

/// Does the tree mention an enumerator, variable or function of that name?
bool mentions(const clang::Stmt *S,
              std::initializer_list<llvm::StringRef> Names, unsigned Depth = 0);

} // namespace torchtidy::semantics

#endif // TORCHTIDY_SEMANTICS_NAMES_H

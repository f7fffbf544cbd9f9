//===- FreeNames.h - Names for variables that a fix adds --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_FREENAMES_H
#define TORCHTIDY_FLOW_FREENAMES_H

#include "clang/AST/Stmt.h"
#include <set>
#include <string>

namespace torchtidy::flow {

/// Names that nothing in a function has or uses.
class FreeNames {
public:
  explicit FreeNames(const clang::Stmt *Body) { collect(Body); }

  /// \p Base, or with a number behind it. It is taken from then on.
  std::string take(const std::string &Base);

private:
  void collect(const clang::Stmt *S);
  std::set<std::string, std::less<>> Names;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_FREENAMES_H

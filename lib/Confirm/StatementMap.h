//===- StatementMap.h - From a statement to its machine code ----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds the addresses of one module that tell whether a statement ran:
///
/// - strong: a call, tail call or lock-prefixed instruction that the statement
///   owns. Compilers neither speculate these nor merge them into another path.
/// - weak: any other row start that the statement owns. Loads are hoisted, so a
///   hit proves nothing, but a miss speaks against it.
/// - blind: the entry of a copy of the enclosing function that has no strong
///   point. Once it was entered, "not run" can no longer be said.
///
/// A statement owns an address if the last row there lies in its range, or if a
/// call site of the inline chain does. `is_stmt` is ignored: it was wrong in 25
/// of 392 cases where this rule was never.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_STATEMENTMAP_H
#define TORCHTIDY_CONFIRM_STATEMENTMAP_H

#include "Confirm/DebugInfo.h"
#include "Finding/Finding.h"

namespace torchtidy::confirm {

enum class PointKind : uint8_t { Strong, Weak, Blind };

struct Point {
  PointKind Kind;
  uint64_t Address; ///< in the file
};

/// The points of one statement in one module.
struct StatementPoints {
  std::vector<Point> Points;
  bool FileSeen = false; ///< the module has code of the statement's file

  bool owned() const; ///< a strong or weak point exists
};

/// True if line \p Line (and \p Column, 0 = unknown) lies in \p Range, whatever
/// the file.
bool inRange(const SourceSpan &Range, unsigned Line, unsigned Column);

/// One element per statement. \p Module must be x86-64.
std::vector<StatementPoints>
mapStatements(DebugInfo &Module, const std::vector<SourceSpan> &Statements);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_STATEMENTMAP_H

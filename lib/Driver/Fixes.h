//===- Fixes.h - Applies the fixes of findings ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_FIXES_H
#define TORCHTIDY_DRIVER_FIXES_H

#include "Finding/Finding.h"
#include <functional>

namespace torchtidy::driver {

struct FixOutcome {
  /// Per finding, in order: whether its fix was applied.
  std::vector<bool> Applied;
  std::vector<std::string> Errors; ///< files that could not be written
};

/// Applies the first fix of each finding, whole or not at all; a fix that
/// overlaps with an earlier one is left for the next run. \p StyleOf gives a
/// file's FormatStyle as clang-tidy's configuration has it.
FixOutcome
applyFixes(const std::vector<Finding> &Findings,
           const std::function<std::string(const std::string &)> &StyleOf);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_FIXES_H

//===- Analyse.h - Runs the checks on one file ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_ANALYSE_H
#define TORCHTIDY_DRIVER_ANALYSE_H

#include "Driver/SharedHeaders.h"
#include "Finding/Finding.h"
#include "clang-tidy/ClangTidyOptions.h"

namespace torchtidy::driver {

struct FileResult {
  std::vector<Finding> Findings; ///< paths absolute, in the order of the file
  std::string Failure;           ///< why the file was not analysed, or empty
  std::set<std::string> Remarks; ///< about the configuration
  bool Shared = false;           ///< parsed with a shared header
  std::string WhyPlain;          ///< if not, why not
  std::vector<SkippedFunction> Functions; ///< that were not judged
};

/// With \p Header the file is first parsed with it, and plainly only if that
/// could make a difference.
FileResult analyse(const Unit &U, const Invocation &I,
                   const clang::tidy::ClangTidyOptions &Options,
                   const SharedHeader *Header);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_ANALYSE_H

//===- Runner.h - all files of a run ----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_RUNNER_H
#define TORCHTIDY_DRIVER_RUNNER_H

#include "Driver/Analyse.h"
#include "Driver/Selection.h"

namespace torchtidy::driver {

/// The result of each job, in their order: from the cache, behind a parse of
/// the headers, or by threads; then once more where files depend on others.
std::vector<FileResult>
analyseAll(const Request &R, const Selection &S,
           std::vector<clang::tidy::ClangTidyOptions> Options);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_RUNNER_H

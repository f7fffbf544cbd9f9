//===- Selection.h - Which files a request is about -------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_SELECTION_H
#define TORCHTIDY_DRIVER_SELECTION_H

#include "Driver/Driver.h"
#include "Driver/Invocation.h"

namespace torchtidy::driver {

/// A file with one of its compile commands.
struct Job {
  Unit U;
  std::optional<Invocation> I; ///< empty: cannot be analysed
  std::string Why;             ///< then why
};

struct Selection {
  std::vector<Job> Jobs; ///< sorted by file; a file may occur twice
  /// Asked for, but no compile command is about them.
  std::vector<report::SkippedFile> Unknown;
  /// Headers that were asked for; then only they and Sources are reported on.
  std::set<std::string> Headers, Sources;
  std::string Root; ///< of the project: what lies below is the user's
};

/// Empty, with \p Error, if the request cannot be served at all.
std::optional<Selection> select(const Request &R, std::string &Error);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_SELECTION_H

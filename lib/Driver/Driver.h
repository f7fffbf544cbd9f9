//===- Driver.h - Static findings of a project ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// What `torchtidy check` asks of the analysis. No LLVM types: the command
/// line is a program of its own.

#ifndef TORCHTIDY_DRIVER_DRIVER_H
#define TORCHTIDY_DRIVER_DRIVER_H

#include "Report/Document.h"
#include "Report/SourceLines.h"
#include <functional>
#include <memory>

namespace torchtidy::driver {

struct Progress {
  size_t Done = 0, Total = 0;
  std::string Current; ///< the file whose analysis has just begun or ended
};

struct Request {
  std::string WorkingDirectory; ///< relative paths start here; absolute
  std::string BuildPath;        ///< -p, or empty
  std::optional<std::vector<std::string>> Flags; ///< behind `--`
  std::vector<std::string> Files; ///< files, headers, folders; none: all
  /// A commit: only files that differ from it, and files that include a header
  /// that does. Empty: all.
  std::string Since;
  /// clang-tidy's JSON: `[{"name":"a.cpp","lines":[[1,9]]}]`. Empty: all lines.
  std::string LineFilter;
  std::string Checks;   ///< a glob list, or empty
  std::string Profiles; ///< default,strict,perf, or empty
  unsigned Jobs = 0;    ///< 0: one per processor
  bool UseCache = true;
  bool Reparse = false;     ///< results of earlier runs are not used
  uint64_t CacheLimit = 0;  ///< bytes that may stay in the cache; 0: no limit
  bool Link = true;         ///< false: each file is judged by itself
  bool Summarise = false;   ///< Outcome::Summaries is wanted; needs Link
  bool ShareHeaders = true; ///< false: every file is parsed plainly
  bool Fix = false;
  /// Called from several threads, one at a time.
  std::function<void(const Progress &)> OnProgress;
};

/// From the fastest way to the slowest; all find the same.
enum class ParseLevel {
  Unchanged,     ///< nothing changed since an earlier run; its result is used
  Shared,        ///< with a shared header without function bodies
  Instantiating, ///< with one that has them
  Plain,
};

struct ParseNote {
  std::string File;
  ParseLevel Level = ParseLevel::Plain;
  std::string Why; ///< no faster level would do
};

struct Outcome {
  /// Nothing was done, and why: wrong usage.
  std::string Error;
  report::Document Report;
  size_t Fixed = 0; ///< findings whose fix was applied
  /// The gravest level among what was not fixed; empty if nothing is left.
  std::optional<Severity> Worst;
  std::vector<ParseNote> Parses;
  std::string Summaries; ///< for the option TorchSummaries
  /// The sources as the findings saw them, before any fix.
  std::shared_ptr<report::SourceLines> Sources;
};

Outcome check(const Request &R);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_DRIVER_H

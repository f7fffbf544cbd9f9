//===- Text.h - A report for people -----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_REPORT_TEXT_H
#define TORCHTIDY_REPORT_TEXT_H

#include "Report/Document.h"
#include "Report/SourceLines.h"

namespace torchtidy::report {

struct TextOptions {
  bool Colour = false;
  /// Files below it are shown relative to it; empty: all paths as they are.
  std::string BaseDirectory;
  /// Where source lines come from; null: from the files as they are now.
  SourceLines *Sources = nullptr;
  /// Findings without notes and fixes, and how many got which verdict: what
  /// `confirm` shows.
  bool Brief = false;
  /// Names the functions that were not judged.
  bool Verbose = false;
};

/// clang-tidy's look: message, source line with caret, notes, fixes; then what
/// a run has shown, the pages of the checks that fired, the files that were
/// not analysed and the summary.
std::string toText(const Document &D, const TextOptions &Options);

/// `1.3 MB`, `512 bytes`.
std::string humanBytes(double Bytes);

} // namespace torchtidy::report

#endif // TORCHTIDY_REPORT_TEXT_H

//===- Document.h - What a report says --------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// The contents of a report, whatever its format: findings, what was analysed,
/// and what a run added.

#ifndef TORCHTIDY_REPORT_DOCUMENT_H
#define TORCHTIDY_REPORT_DOCUMENT_H

#include "Finding/Finding.h"

namespace torchtidy::report {

struct SkippedFile {
  std::string File;
  std::string Reason; ///< one sentence, lower case
};

struct FileCounts {
  unsigned Analysed = 0;
  unsigned Total = 0;
  std::vector<SkippedFile> Skipped; ///< Total - Analysed of them, in order
};

/// Growth of a run that no finding explains.
struct UnattributedGrowth {
  std::string File;
  unsigned Line = 0; ///< 0: not known
  std::string Function;
  double BytesPerIteration = 0;
};

/// The program that `confirm` ran, or whose log it read.
struct ProgramRun {
  std::vector<std::string> Command;
  std::optional<int> Status; ///< as a shell gives it: 128 + n for signal n
};

struct Document {
  std::string ToolVersion = TORCHTIDY_VERSION;
  std::vector<Finding> Findings;
  FileCounts Files;
  /// Functions of analysed files that were not judged, in order.
  std::vector<SkippedFunction> Functions;
  std::optional<ProgramRun> Program;
  /// Only `confirm` fills this.
  std::optional<std::vector<UnattributedGrowth>> Unattributed;
  /// What a reader should know about how the report came about.
  std::vector<std::string> Remarks;
};

/// The page of a check below the root of the documentation.
std::string checkPage(const std::string &Check);

/// `3 warnings; 38 of 40 files analysed; 2 functions not judged`.
std::string summaryLine(const Document &D);

} // namespace torchtidy::report

#endif // TORCHTIDY_REPORT_DOCUMENT_H

//===- Import.h - Summaries of other files ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Puts summaries of other files beside the functions of this one: their
/// declarations and statements become placeholders in this file's AST, so that
/// judging need not know where a function comes from.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_IMPORT_H
#define TORCHTIDY_FLOW_IMPORT_H

#include "Flow/Analysis.h"
#include "Flow/Portable.h"

namespace torchtidy::flow {

/// What one file needs of another.
struct Slice {
  std::shared_ptr<const portable::Module> From;
  std::vector<uint32_t> Functions; ///< indices into From->Functions, ascending
};

/// What one file needs of all others.
struct LinkedFiles {
  std::vector<Slice> Slices;
  /// Functions of other files that do nothing of interest: names and ids.
  std::vector<std::pair<std::string, std::string>> Irrelevant;
  /// These are all files of the project: what they do not do is not done.
  bool Whole = false;
  /// The file is to be judged again with all this, even if it is nothing.
  bool Matter = false;

  /// What the file needs that this thread judges now; null if it is judged by
  /// itself.
  static const LinkedFiles *current();
  static void install(const LinkedFiles *Files);
};

/// To be called before Analysis::run. Functions that this file defines itself
/// are left out.
void importFacts(Analysis &A, const LinkedFiles &Files);

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_IMPORT_H

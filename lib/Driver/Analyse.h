//===- Analyse.h - Runs the checks on one file ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_ANALYSE_H
#define TORCHTIDY_DRIVER_ANALYSE_H

#include "Driver/Driver.h"
#include "Driver/SharedHeaders.h"
#include "Flow/Import.h"
#include "clang-tidy/ClangTidyOptions.h"
#include <functional>

namespace torchtidy::driver {

struct FileResult {
  std::vector<Finding> Findings; ///< paths absolute, in the order of the file
  std::string Failure;           ///< why the file was not analysed, or empty
  bool Crashed = false;          ///< then nothing else is known
  std::set<std::string> Remarks; ///< about the configuration
  std::vector<SkippedFunction> Functions; ///< that were not judged
  ParseLevel Parsed = ParseLevel::Plain;
  std::string Why;     ///< no faster level would do
  std::string Summary; ///< flow::portable::encode, for other files
  /// All that this depends on.
  Inputs Used;
  std::string Basis; ///< names the state of all that; empty: not known
  std::vector<std::shared_ptr<const SharedHeader>> Headers;
};

/// Gives the header of a level, or null and why there is none.
using HeaderSource = std::function<std::shared_ptr<const SharedHeader>(
    HeaderLevel, std::string &Why)>;

/// Parses the file with a shared header, and more slowly where that could make
/// a difference. With \p Last the memory of the parse is left to the end of the
/// process, which is near. With \p Links the file is judged with them; else the
/// result has a summary.
FileResult analyse(const Unit &U, const Invocation &I,
                   const clang::tidy::ClangTidyOptions &Options,
                   const HeaderSource &Source, bool Last,
                   const flow::LinkedFiles *Links = nullptr);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_ANALYSE_H

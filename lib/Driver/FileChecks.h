//===- FileChecks.h - The checks on one file --------------------*- C++ -*-===//
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_FILECHECKS_H
#define TORCHTIDY_DRIVER_FILECHECKS_H

#include "Driver/Analyse.h"
#include "Driver/ErrorKeeper.h"
#include "Driver/HoistGuard.h"
#include "Driver/Matching.h"
#include "clang-tidy/ClangTidyDiagnosticConsumer.h"
#include "clang/Frontend/CompilerInstance.h"

namespace torchtidy::driver {

/// clang-tidy's checks on one file, whatever parses it. All arguments live
/// longer. With \p Links the file is judged with them, else it is summed up.
class FileChecks {
public:
  FileChecks(const Unit &U, const Invocation &I,
             const clang::tidy::ClangTidyOptions &Options, HoistGuard *Guard,
             const flow::LinkedFiles *Links);
  ~FileChecks();
  FileChecks(const FileChecks &) = delete;
  FileChecks &operator=(const FileChecks &) = delete;

  /// For the compiler's own errors.
  clang::DiagnosticConsumer &errors() { return Errors; }
  /// Adds itself to the preprocessor as well.
  std::unique_ptr<clang::ASTConsumer> consumer(clang::CompilerInstance &CI);
  /// In place of a consumer: on what other checks have parsed and judged.
  void judgeParsed(clang::CompilerInstance &CI);
  /// After the parse; \p R is left alone if the guard has a reason.
  void finish(FileResult &R);

private:
  const Unit &U;
  const Invocation &I;
  HoistGuard *Guard;
  clang::tidy::ClangTidyContext Context;
  clang::tidy::ClangTidyDiagnosticConsumer Tidy;
  std::unique_ptr<clang::DiagnosticsEngine> TidyEngine;
  FactCollector Facts;
  ErrorKeeper Errors;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_FILECHECKS_H

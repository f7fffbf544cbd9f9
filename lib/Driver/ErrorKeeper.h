//===- ErrorKeeper.h - Counts what stops a parse ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_ERRORKEEPER_H
#define TORCHTIDY_DRIVER_ERRORKEEPER_H

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"

namespace torchtidy::driver {

/// Counts a compiler's errors and keeps the first.
class ErrorKeeper : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &D) override {
    if (Level < clang::DiagnosticsEngine::Error)
      return;
    if (Count++ != 0)
      return;
    llvm::SmallString<256> Text;
    D.FormatDiagnostic(Text);
    if (D.hasSourceManager() && D.getLocation().isValid()) {
      clang::PresumedLoc P = D.getSourceManager().getPresumedLoc(
          D.getSourceManager().getExpansionLoc(D.getLocation()));
      if (P.isValid()) {
        File = P.getFilename();
        First = File + ":" + std::to_string(P.getLine()) + ":" +
                std::to_string(P.getColumn()) + ": ";
      }
    }
    First += Text.str();
  }

  unsigned count() const { return Count; }
  const std::string &first() const { return First; }
  /// The file of the first error; empty if it has none.
  const std::string &file() const { return File; }

private:
  unsigned Count = 0;
  std::string First, File;
};

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_ERRORKEEPER_H

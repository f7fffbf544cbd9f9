//===- UnnamedGuardCheck.h - Unnamed guard ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_UNNAMEDGUARDCHECK_H
#define TORCHTIDY_CHECKS_UNNAMEDGUARDCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds guards without a name, which are gone before anything runs under them.
///
/// For the user-facing documentation see docs/checks/unnamed-guard.md.
class UnnamedGuardCheck : public TorchCheck {
public:
  UnnamedGuardCheck(llvm::StringRef Name,
                    clang::tidy::ClangTidyContext *Context);
  void storeOptions(clang::tidy::ClangTidyOptions::OptionMap &Opts) override;

protected:
  void diagnose(const flow::Model &M) override;

private:
  const bool IgnoreIfStockCheck;
  const bool StockCheckRuns;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_UNNAMEDGUARDCHECK_H

//===- SavedDataCheck.h - Saved data ----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_SAVEDDATACHECK_H
#define TORCHTIDY_CHECKS_SAVEDDATACHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds outputs of custom autograd functions that their own graph node keeps
/// in saved_data, so that they are never freed.
///
/// For the user-facing documentation see docs/checks/saved-data.md.
class SavedDataCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_SAVEDDATACHECK_H

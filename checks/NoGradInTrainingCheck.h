//===- NoGradInTrainingCheck.h - No grad in training ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_NOGRADINTRAININGCHECK_H
#define TORCHTIDY_CHECKS_NOGRADINTRAININGCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds training for which grad mode is off: a guard covers it, or grad mode
/// is not restored.
///
/// For the user-facing documentation see docs/checks/no-grad-in-training.md.
class NoGradInTrainingCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_NOGRADINTRAININGCHECK_H

//===- UndetachedStateCheck.h - State carried with its history --*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_UNDETACHEDSTATECHECK_H
#define TORCHTIDY_CHECKS_UNDETACHEDSTATECHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds recurrent state that is carried over iterations without detach while
/// each of them runs backward.
///
/// For the user-facing documentation see docs/checks/undetached-state.md.
class UndetachedStateCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_UNDETACHEDSTATECHECK_H

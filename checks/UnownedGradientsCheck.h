//===- UnownedGradientsCheck.h - Unowned gradients --------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_UNOWNEDGRADIENTSCHECK_H
#define TORCHTIDY_CHECKS_UNOWNEDGRADIENTSCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds backward calls that fill gradients of modules whose parameters no
/// optimizer here owns.
///
/// For the user-facing documentation see docs/checks/unowned-gradients.md.
class UnownedGradientsCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_UNOWNEDGRADIENTSCHECK_H

//===- MissingNoGradCheck.h - Inference that records history ----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_MISSINGNOGRADCHECK_H
#define TORCHTIDY_CHECKS_MISSINGNOGRADCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds inference that records autograd history because no guard turns grad
/// mode off.
///
/// For the user-facing documentation see docs/checks/missing-no-grad.md.
class MissingNoGradCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_MISSINGNOGRADCHECK_H

//===- ZeroGradCheck.h - Gradients zeroed never or too soon -----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_ZEROGRADCHECK_H
#define TORCHTIDY_CHECKS_ZEROGRADCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds optimizer steps that use old gradients again because nothing zeroes
/// them, and zeroing that wipes micro-batches.
///
/// For the user-facing documentation see docs/checks/zero-grad.md.
class ZeroGradCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_ZEROGRADCHECK_H

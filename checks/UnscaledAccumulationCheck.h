//===- UnscaledAccumulationCheck.h - Micro-batches summed unscaled --*- C++
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_UNSCALEDACCUMULATIONCHECK_H
#define TORCHTIDY_CHECKS_UNSCALEDACCUMULATIONCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds gradients of several micro-batches that are summed without scaling the
/// loss.
///
/// For the user-facing documentation see docs/checks/unscaled-accumulation.md.
class UnscaledAccumulationCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_UNSCALEDACCUMULATIONCHECK_H

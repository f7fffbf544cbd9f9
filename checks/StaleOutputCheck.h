//===- StaleOutputCheck.h - Stale output ------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_STALEOUTPUTCHECK_H
#define TORCHTIDY_CHECKS_STALEOUTPUTCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds variables outside a loop that keep the graph of one iteration alive
/// while the next one runs its forward.
///
/// For the user-facing documentation see docs/checks/stale-output.md.
class StaleOutputCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_STALEOUTPUTCHECK_H

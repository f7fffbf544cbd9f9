//===- RetainedGraphCheck.h - History kept past its iteration ---*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_RETAINEDGRAPHCHECK_H
#define TORCHTIDY_CHECKS_RETAINEDGRAPHCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds tensors that keep their autograd history beyond the iteration that
/// made it.
///
/// For the user-facing documentation see docs/checks/retained-graph.md.
class RetainedGraphCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_RETAINEDGRAPHCHECK_H

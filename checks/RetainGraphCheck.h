//===- RetainGraphCheck.h - Graphs that backward keeps ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_RETAINGRAPHCHECK_H
#define TORCHTIDY_CHECKS_RETAINGRAPHCHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds backward calls that keep their graph for nothing, or in a cycle that
/// is never freed.
///
/// For the user-facing documentation see docs/checks/retain-graph.md.
class RetainGraphCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_RETAINGRAPHCHECK_H

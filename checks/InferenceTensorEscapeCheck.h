//===- InferenceTensorEscapeCheck.h - Inference tensor escape ---*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_INFERENCETENSORESCAPECHECK_H
#define TORCHTIDY_CHECKS_INFERENCETENSORESCAPECHECK_H

#include "checks/TorchCheck.h"

namespace torchtidy::checks {

/// Finds tensors made under InferenceMode that meet autograd outside, which
/// throws.
///
/// For the user-facing documentation see docs/checks/inference-tensor-escape.md.
class InferenceTensorEscapeCheck : public TorchCheck {
public:
  using TorchCheck::TorchCheck;

protected:
  void diagnose(const flow::Model &M) override;
};

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_INFERENCETENSORESCAPECHECK_H

//===- ZeroGradProof.h - Are gradients zeroed once per step? ----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_ZEROGRADPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_ZEROGRADPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Of a finding at a step: confirmed if between most of its steps gradients
/// were added to those that the step before had used, and nothing zeroed them.
/// Of a finding at zero_grad: confirmed if in front of most steps it ran behind a
/// backward whose gradients no step had used.
Verdict proveZeroGrad(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_ZEROGRADPROOF_H

//===- UnownedGradientsProof.h - Whose gradients are filled? ----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_UNOWNEDGRADIENTSPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_UNOWNEDGRADIENTSPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// A run does not show which parameters an optimizer owns, so nothing is
/// confirmed. Contradicted if the backward fills no gradient, or if all that it
/// fills are emptied again each time: somebody looks after them.
Verdict proveUnownedGradients(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_UNOWNEDGRADIENTSPROOF_H

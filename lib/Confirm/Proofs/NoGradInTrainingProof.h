//===- NoGradInTrainingProof.h - Training with grad mode off ---*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_NOGRADINTRAININGPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_NOGRADINTRAININGPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: the loss was made with grad mode off and its backward never
/// began, or did not any more. Contradicted: backward kept working.
Verdict proveNoGradInTraining(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_NOGRADINTRAININGPROOF_H

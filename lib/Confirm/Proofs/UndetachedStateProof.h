//===- UndetachedStateProof.h - Does backward go back too far? --*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_UNDETACHEDSTATEPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_UNDETACHEDSTATEPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: a backward reached nodes of the state that an earlier one had
/// evaluated, behind newer ones of the same code. Contradicted: at least three
/// did not.
Verdict proveUndetachedState(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_UNDETACHEDSTATEPROOF_H

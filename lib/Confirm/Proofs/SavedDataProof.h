//===- SavedDataProof.h - Are outputs ever freed? ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_SAVEDDATAPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_SAVEDDATAPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: what the custom function's output is made of piles up by the
/// windows' rule. Contradicted: it ran and the outputs were freed.
Verdict proveSavedData(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_SAVEDDATAPROOF_H

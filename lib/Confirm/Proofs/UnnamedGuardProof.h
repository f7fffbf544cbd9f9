//===- UnnamedGuardProof.h - What ran after a gone guard -------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_UNNAMEDGUARDPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_UNNAMEDGUARDPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: grad mode was on in all that ran after the guard in its block.
/// Contradicted: it was off there anyhow.
Verdict proveUnnamedGuard(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_UNNAMEDGUARDPROOF_H

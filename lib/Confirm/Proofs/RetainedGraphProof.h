//===- RetainedGraphProof.h - Does history pile up? -------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///

#ifndef TORCHTIDY_CONFIRM_PROOFS_RETAINEDGRAPHPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_RETAINEDGRAPHPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: what the statement or its producers make grows by the windows'
/// rule. Contradicted: it ran and what they make does not.
Verdict proveRetainedGraph(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_RETAINEDGRAPHPROOF_H

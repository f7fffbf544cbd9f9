//===- MissingNoGradProof.h - Was the graph of a forward ever used? -*- C++
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_MISSINGNOGRADPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_MISSINGNOGRADPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: at least three calls built a graph and no backward ever reached a
/// node of any. Contradicted: one did, or no graph was built.
Verdict proveMissingNoGrad(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_MISSINGNOGRADPROOF_H

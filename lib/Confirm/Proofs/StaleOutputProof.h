//===- StaleOutputProof.h - Two graphs alive, or one? -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_STALEOUTPUTPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_STALEOUTPUTPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed if, in three rounds at least and in most, the graph of one round
/// went only after the forward of the next had run, and took memory with it:
/// the peak with and without. Contradicted if each was gone before.
Verdict proveStaleOutput(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_STALEOUTPUTPROOF_H

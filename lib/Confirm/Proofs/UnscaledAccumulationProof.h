//===- UnscaledAccumulationProof.h - Do micro-batches add up? ---*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_UNSCALEDACCUMULATIONPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_UNSCALEDACCUMULATIONPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: in most steps the same backward ran at least twice behind
/// zero_grad, onto the same gradients. Contradicted: once per step, or a mean
/// loss was divided before.
Verdict proveUnscaledAccumulation(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_UNSCALEDACCUMULATIONPROOF_H

//===- InferenceTensorEscapeProof.h - Was it given to autograd? -*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_INFERENCETENSORESCAPEPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_INFERENCETENSORESCAPEPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// Confirmed: autograd was to save what its producer made under inference mode,
/// which throws. Contradicted: it was made outside, or graphs were built here
/// without it.
Verdict proveInferenceTensorEscape(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_INFERENCETENSORESCAPEPROOF_H

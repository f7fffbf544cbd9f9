//===- RetainGraphProof.h - Was a kept graph used again? --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_PROOFS_RETAINGRAPHPROOF_H
#define TORCHTIDY_CONFIRM_PROOFS_RETAINGRAPHPROOF_H

#include "Confirm/Proofs/Case.h"

namespace torchtidy::confirm {

/// With create_graph: as for retained graphs, of what this backward makes.
/// Else confirmed if at least three calls kept their graph and no later
/// backward evaluated a node of it; contradicted if one did.
Verdict proveRetainGraph(const Case &C);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_PROOFS_RETAINGRAPHPROOF_H

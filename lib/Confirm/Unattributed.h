//===- Unattributed.h - Growth that no finding explains ---------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What grows in a run and is explained by no finding.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_UNATTRIBUTED_H
#define TORCHTIDY_CONFIRM_UNATTRIBUTED_H

#include "Confirm/Attribution.h"
#include <set>

namespace torchtidy::confirm {

/// A place whose blocks or nodes grow by the windows' rule.
struct Unattributed {
  std::string File; ///< innermost source place outside libraries, or a module
  unsigned Line = 0;
  std::string Function;
  double BytesPerIteration = 0; ///< tensor bytes; of graph nodes alone, heap
  double NodesPerIteration = 0;
  std::vector<Frame> Stack; ///< one that leads there, innermost first
};

struct UnattributedGrowth {
  std::vector<Unattributed> Places; ///< largest first
  std::string Remark; ///< growth that is no tensor memory, else empty
};

/// \p Explained: stacks that belong to findings.
UnattributedGrowth findUnattributed(Evidence &Run,
                                    const std::set<uint32_t> &Explained);

/// Stacks of all that \p A made, of the history behind it and of what that
/// pins.
void addExplained(Evidence &Run, const Attribution &A,
                  std::set<uint32_t> &Explained);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_UNATTRIBUTED_H

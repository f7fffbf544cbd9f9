//===- Attribution.h - What of a run belongs to a finding -------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Neither way of attribution sees everything: what a store keeps may have been
/// allocated elsewhere, and what was allocated there may be kept by nothing. So
/// a finding gets the union of the blocks allocated in its range or at its
/// producers and of those pinned by the saved tensors of graph nodes made
/// there.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_ATTRIBUTION_H
#define TORCHTIDY_CONFIRM_ATTRIBUTION_H

#include "Confirm/Evidence.h"

namespace torchtidy::confirm {

/// Indices into Evidence::nodes() and blocks().
struct Parts {
  std::vector<uint32_t> Nodes, Blocks;
  bool empty() const { return Nodes.empty() && Blocks.empty(); }
};

struct Attribution {
  Parts Own;    ///< made while a frame stood in the finding's range
  Parts Source; ///< made at its producers only
};

Attribution attribute(Evidence &Run, const Finding &F);

/// Times at which a part's code ran: the births of the stack that is seen least
/// often among those that are seen from the first quarter to the last. Layers
/// share a stack, so a commoner one may count several per call.
Clock executionsOf(const Evidence &Run, const Parts &P);

/// How often a statement was executed, at least: its events, cut wherever the
/// same thread did something else, or the greatest common divisor of how often
/// its stacks were seen (a loop whose whole body is the statement shows no
/// cut).
uint64_t callsOf(const Evidence &Run, const Parts &Own);

/// The clock that suits what was made at \p P: marks of the run if the code ran
/// in enough of them, else its own executions. \p Second is set if the other
/// one deserves to be asked too.
Clock chooseClock(const Evidence &Run, const Parts &P,
                  std::optional<Clock> &Second);

std::vector<Life> nodeLives(const Evidence &Run, const Parts &P,
                            const Clock &By);
std::vector<Life> blockLives(const Evidence &Run, const Parts &P,
                             const Clock &By);

Parts joined(Parts A, const Parts &B);

/// Adds to \p P the whole graphs that its nodes belong to, as far as they are
/// alive at the end, the values made at the same places and the blocks that all
/// these nodes pin. Of the same graph is what one backward evaluated; without
/// any backward, what was made before in the same tick and thread and is
/// unused.
void addHistory(Evidence &Run, Parts &P, const Clock &By);

/// Most bytes of \p P's blocks alive at one time.
uint64_t peakBytes(const Evidence &Run, const Parts &P);

/// Most bytes that \p Nodes pinned at one time, without what was there before
/// them and stays, as weights do. Without a second run under a guard it is an
/// upper bound of what they cost: other tensors may share the blocks. \p Ends:
/// until when each of them pins, if not until its death.
uint64_t peakPinned(const Evidence &Run, const std::vector<uint32_t> &Nodes,
                    const std::vector<uint64_t> *Ends = nullptr);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_ATTRIBUTION_H

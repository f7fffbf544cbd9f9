//===- BreakpointSignals.h - SIGTRAP shared with the program ----*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The program keeps its own view of SIGTRAP: its handler is chained, what it
/// asks for is answered, and it can never block the signal, since an int3 under
/// a blocked SIGTRAP kills the process. Until ownTrap() the interposed calls
/// only pass through.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_BREAKPOINTSIGNALS_H
#define TORCHTIDY_RUNTIME_RECORD_BREAKPOINTSIGNALS_H

#include <csignal>

namespace torchtidy::record {

/// Installs \p Handler for SIGTRAP and unblocks the signal.
bool ownTrap(void (*Handler)(int, siginfo_t *, void *));

/// Does with a SIGTRAP that is not ours what would happen without us.
void passTrapOn(int Signal, siginfo_t *Info, void *Context);

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_BREAKPOINTSIGNALS_H

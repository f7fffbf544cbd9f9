//===- Breakpoints.h - One-shot breakpoints in our own process --*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Tells which addresses of a plan (see Trace/Breakpoints.h) are ever reached:
/// an int3 at each, taken away by the first hit. Costs nothing afterwards.
///
/// Rules that keep the program alive:
/// - /proc/self/mem is opened anew for each write: an inherited descriptor
/// would
///   write the parent of a forked child;
/// - SIGTRAP is never blocked (an int3 under a blocked SIGTRAP kills), so the
///   calls that block signals are interposed. A raw system call cannot be:
///   hence the switch `--no-breakpoints`;
/// - the program's own SIGTRAP handler keeps working;
/// - under a debugger nothing is armed.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_BREAKPOINTS_H
#define TORCHTIDY_RUNTIME_RECORD_BREAKPOINTS_H

namespace torchtidy::record {

/// Reads the plan that the environment names and arms what is loaded; later
/// modules are armed as the loader brings them. Runs by itself when the library
/// is loaded; a second call does nothing.
void startBreakpoints();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_BREAKPOINTS_H

//===- Breakpoints.h - Breakpoint plan and hit table ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What the confirmation and the process under observation tell each other
/// about one-shot breakpoints.
///
/// The plan is text, named by the environment variable TORCHTIDY_BREAKPOINTS:
///
///     torchtidy-breakpoints 1
///     module <build id in hex, or -> <path>
///     <address in the module's file, hex>
///     ...
///
/// Addresses are numbered through the whole plan, from 0: these are the slots.
/// Each process that loads one of the modules leaves `<plan>.hits.<pid>.<n>`, a
/// HitHeader followed by one SlotState byte per slot. It is a shared mapping,
/// so it is whole after kill -9, and forked children write into it too.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TRACE_BREAKPOINTS_H
#define TORCHTIDY_TRACE_BREAKPOINTS_H

#include <cstdint>

namespace torchtidy::trace {

inline constexpr char BreakpointsVariable[] = "TORCHTIDY_BREAKPOINTS";
inline constexpr char PlanHeader[] = "torchtidy-breakpoints 1";
inline constexpr char HitMagic[8] = {'t', 't', 'h', 'i', 't', 's', '0', '1'};

enum class SlotState : uint8_t {
  NotLoaded, ///< the module did not come
  Armed,
  Hit,
  Refused, ///< the byte could not be written
};

enum class HitStatus : uint32_t {
  Watching,
  Traced,    ///< a debugger owns SIGTRAP: nothing was armed
  BlindLate, ///< watching, but modules that come by dlopen stay unarmed
};

struct HitHeader {
  char Magic[8];
  uint32_t Slots;
  HitStatus Status;
  uint32_t Traps;   ///< breakpoints taken, doubles by racing threads included
  uint32_t Foreign; ///< SIGTRAPs of the program's own
};

} // namespace torchtidy::trace

#endif // TORCHTIDY_TRACE_BREAKPOINTS_H

//===- Stacks.h - Call stacks and their numbers -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A stack is a node of a tree: its innermost frame, and the stack of its
/// caller. Each node is written to the log once.
///
/// Unwinding goes from the hook outwards only until it meets a frame of the
/// thread's previous stack that is still in place; operators of one forward
/// share all of their outer frames.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_STACKS_H
#define TORCHTIDY_RUNTIME_RECORD_STACKS_H

#include <cstdint>

namespace torchtidy::record {

/// A frame as it was when last seen.
struct KnownFrame {
  uintptr_t Sp;      ///< the caller's side: one word above the return address
  uintptr_t Address; ///< return address, which lies at Sp - 8
  uintptr_t Rbp;     ///< rbp after the return
  const uintptr_t *RbpAt; ///< where it was saved; null: not saved below here
  uint32_t Stack;
};

constexpr unsigned MaxFrames = 192;

/// Part of a thread's state.
struct StackCache {
  uintptr_t Low, High; ///< the thread's stack
  uint32_t Root;       ///< what an engine thread's frames hang from
  unsigned Count;
  KnownFrame Frames[MaxFrames]; ///< outermost first
};

/// The number of the caller's stack, hanging from \p Root (0, or the stack that
/// launched this thread's work). Frames of the recorder itself are not in it.
uint32_t currentStack(StackCache &Cache, uint32_t Root);

/// The number of \p Parent extended by \p Address. \p Inherited marks the seam
/// between two threads.
uint32_t extendStack(uint32_t Parent, uintptr_t Address, bool Inherited);

/// Writes all stacks again, in order: a forked child begins its own log.
void rewriteFrames();

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_STACKS_H

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
/// Unwinding is a function of three registers and of the words that it reads.
/// So a thread remembers its paths: if all words that a path has read are as
/// they were, the result is too, without looking at a single frame. The path to
/// try is found by the stack that came before, as programs repeat themselves.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_STACKS_H
#define TORCHTIDY_RUNTIME_RECORD_STACKS_H

#include <cstdint>

namespace torchtidy::record {

constexpr unsigned MaxFrames = 192;

/// One remembered path: where it has read, and a hash of what. One line of the
/// processor's cache, since all paths of an iteration pass through it in turn.
struct alignas(64) KnownPath {
  uintptr_t Sp, Caller, Rbp;
  uint64_t Hash;
  uint64_t Begin; ///< into the ring, counted since its start
  uint32_t Root, Previous, Stack, Generation;
  uint16_t Words : 15;
  uint16_t UsesRbp : 1; ///< Rbp as it was on entry matters
  uint16_t FarFrom;     ///< words from here on lie that much further out
  uint32_t Far;
};

/// Part of a thread's state; large, but only touched as far as it is used.
struct StackCache {
  static constexpr unsigned SetCount = 4096, Ways = 2;
  static constexpr unsigned RingSize = 512 * 1024;

  uintptr_t Low, High; ///< the thread's stack
  uint32_t Previous;   ///< the last result
  uint64_t RingEnd;
  KnownPath Paths[SetCount][Ways]; ///< the newer one first
  /// Distances from Sp to the words a path has read, in words.
  uint16_t Distances[RingSize];
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

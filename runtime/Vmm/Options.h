//===- Options.h - Settings of the allocator --------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_OPTIONS_H
#define TORCHTIDY_RUNTIME_VMM_OPTIONS_H

#include <cstddef>

namespace torchtidy::vmm {

/// Sizes in bytes.
struct Options {
  /// Of the device's memory, for this process: (0, 1].
  double MemoryFraction = 1.0;
  /// New memory comes in pieces of this share of the limit, and of so many
  /// bytes at most: fewer driver calls, for memory that may stay unused.
  unsigned AheadShare = 512;
  size_t AheadMost = size_t(32) << 20;
  /// One handle is not larger: what lies on a handle holds all of it.
  size_t LargestHandle = size_t(128) << 20;
  /// Nor than this, or than this part of a request, once memory is lost to
  /// fragmentation.
  size_t FineHandle = size_t(2) << 20;
  unsigned HandlesPerBlock = 16;
  /// With less than this share of the limit left, handles are one page each.
  unsigned NearShare = 5;
  /// Memory is moved when more than this share above what was once live would
  /// be reserved otherwise.
  unsigned SlackShare = 256;
  /// With more than this share lost all the same, handles are made small, and
  /// with more than that, free large ones are made anew.
  unsigned FragmentedShare = 96, RefineShare = 24;
  /// As long as less than so much of the limit is reserved, memory is not
  /// scarce and moving it not worth its cost: then the first of these shares
  /// counts, not the three above. Early excess is often filled later.
  unsigned PlentyPercent = 70, PlentyShare = 20;
  /// Mappings of one arena that are kept for later, current ones included.
  size_t MostMappings = 32768;
  /// Never move memory: what plain best fit in one range does, to compare.
  bool Remap = true;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_OPTIONS_H

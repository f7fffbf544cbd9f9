//===- Placement.h - Where a request can go, and what that takes -*- C++
//-*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The search for one place. It looks at all mappings of an arena in order of
/// address: free parts of current ones, and others whose memory lies free
/// elsewhere. What adjoins is a run; one that is long enough costs no driver
/// call. Else the longest that goes on into unmapped addresses is extended by
/// free handles and new ones.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_PLACEMENT_H
#define TORCHTIDY_RUNTIME_VMM_PLACEMENT_H

#include "Arena.h"

namespace torchtidy::vmm {

/// Adjoining addresses, mapped and available.
struct Run {
  Address Begin = 0, End = 0;
  size_t bytes() const { return End - Begin; }
};

class Placement {
public:
  Placement(Arena &A, const std::vector<Arena *> &Others);
  ~Placement();
  Placement(const Placement &) = delete;
  Placement &operator=(const Placement &) = delete;

  /// Makes room for \p Size bytes in one piece of the arena's large ranges.
  Status large(size_t Size);
  /// One more page of small blocks.
  Status small();

private:
  /// The shortest that is long enough, and the longest that can be extended.
  void scan(size_t Size);
  void consider(Address Begin, Address End, size_t Size);
  bool available(const Handle *H) const { return H->FreeIn == Search; }
  void collect(Arena &From, bool NeedsDone);
  void reviveIn(Address Begin, Address End);
  /// Free handles for so many bytes; what they lack is to be made anew.
  std::vector<Handle *> choose(size_t Bytes, size_t &Missing);

  Arena &A;
  Device &On;
  const std::vector<Arena *> &Others;
  uint64_t Search;
  uint64_t Step = 0;
  Run Fitting, Extensible;
  std::vector<Handle *> Free;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_PLACEMENT_H

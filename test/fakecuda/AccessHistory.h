//===- AccessHistory.h - Who touched which bytes last -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Of one physical allocation: per run of bytes the last write and the reads
/// since, so that accesses without an order are found through any alias.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_ACCESSHISTORY_H
#define FAKECUDA_ACCESSHISTORY_H

#include "VectorClock.h"
#include <map>

namespace fakecuda {

/// An earlier access that the present one is not ordered after.
struct Conflict {
  Epoch Earlier;
  bool EarlierWrote;
  uint64_t Offset;
};

class AccessHistory {
public:
  /// \p Work, which has seen \p Seen, touches [Begin, End). Appends what it
  /// conflicts with.
  void access(uint64_t Begin, uint64_t End, bool Write, Epoch Work,
              const VectorClock &Seen, std::vector<Conflict> &Conflicts);
  /// Runs of bytes told apart, for tests of the bookkeeping.
  size_t runs() const { return Runs.size(); }

private:
  struct Run {
    uint64_t End;
    Epoch Writer, Reader;
    std::vector<Epoch> MoreReaders; // unordered among each other and to Reader
  };
  using Map = std::map<uint64_t, Run>; // by begin

  void split(uint64_t At);
  static void check(uint64_t Begin, const Run &R, bool Write,
                    const VectorClock &Seen, std::vector<Conflict> &Conflicts);
  static void addReader(Run &R, Epoch Work, const VectorClock &Seen);

  Map Runs;
};

} // namespace fakecuda

#endif // FAKECUDA_ACCESSHISTORY_H

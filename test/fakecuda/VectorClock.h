//===- VectorClock.h - Who has seen whose work ------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Work on streams is ordered by what it has seen: each stream counts its own
/// work, and a vector clock holds, per stream, how much of it is known done.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_VECTORCLOCK_H
#define FAKECUDA_VECTORCLOCK_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fakecuda {

/// One piece of work: the \p Count-th of a stream. Count 0: none.
struct Epoch {
  uint32_t Stream = 0;
  uint64_t Count = 0;
};
inline bool operator==(Epoch A, Epoch B) {
  return A.Stream == B.Stream && A.Count == B.Count;
}

class VectorClock {
public:
  bool covers(Epoch E) const {
    return E.Count == 0 ||
           (E.Stream < Counts.size() && Counts[E.Stream] >= E.Count);
  }
  void merge(const VectorClock &Other) {
    if (Counts.size() < Other.Counts.size())
      Counts.resize(Other.Counts.size());
    for (size_t I = 0; I < Other.Counts.size(); ++I)
      Counts[I] = std::max(Counts[I], Other.Counts[I]);
  }
  /// The next piece of work of \p Stream.
  Epoch tick(uint32_t Stream) {
    if (Counts.size() <= Stream)
      Counts.resize(Stream + 1);
    return {Stream, ++Counts[Stream]};
  }

private:
  std::vector<uint64_t> Counts;
};

} // namespace fakecuda

#endif // FAKECUDA_VECTORCLOCK_H

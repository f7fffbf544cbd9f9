//===- FreeLists.h - Free blocks by size ------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Segregated free lists with bitmaps (TLSF: Masmano et al., ECRTS 2004): one
/// list per multiple of 512 B below 32 KiB, then 16 per power of two. Within a
/// list blocks stand by size and address, so that the smallest that fits is
/// found; only so far into long lists, which bounds the time of each call.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_FREELISTS_H
#define TORCHTIDY_RUNTIME_VMM_FREELISTS_H

#include "Tables.h"

namespace torchtidy::vmm {

/// A piece of a range of addresses that are mapped and current.
struct Block {
  Address At = 0;
  size_t Size = 0;
  size_t Requested = 0;                    ///< bytes, of a live one
  Block *Prev = nullptr, *Next = nullptr;  ///< neighbours in the range
  Block *Left = nullptr, *Right = nullptr; ///< in its free list
  bool Free = false;
  bool Pending = false;         ///< freed, but other streams still use it
  struct Uses *Other = nullptr; ///< streams that use it beside its own

  Address end() const { return At + Size; }
  /// Something else lies in the same range: it cannot be given back alone.
  bool split() const { return Prev || Next; }
};

class FreeLists {
public:
  void insert(Block *B);
  void remove(Block *B);
  /// The smallest block of at least \p Size bytes, the lowest of equals; stays.
  Block *find(size_t Size) const;

  template <typename Function> void forEach(Function F) const {
    for (Block *First : Lists)
      for (Block *B = First; B; B = B->Right)
        F(B);
  }

private:
  static constexpr unsigned Exact = 64, SubBits = 4, Exponents = 30;
  static constexpr unsigned Count = Exact + (Exponents << SubBits);
  /// A list is searched this far.
  static constexpr unsigned Depth = 32;

  static unsigned listOf(size_t Size);

  Block *Lists[Count] = {};
  uint64_t NonEmpty[(Count + 63) / 64] = {};
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_FREELISTS_H

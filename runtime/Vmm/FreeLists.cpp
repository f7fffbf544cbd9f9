//===- FreeLists.cpp - Free blocks by size --------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FreeLists.h"

using namespace torchtidy::vmm;

unsigned FreeLists::listOf(size_t Size) {
  const size_t Grains = Size / GrainBytes;
  if (Grains < Exact)
    return static_cast<unsigned>(Grains);
  const unsigned Log = 63 - static_cast<unsigned>(__builtin_clzll(Grains));
  const unsigned Sub =
      static_cast<unsigned>(Grains >> (Log - SubBits)) & ((1u << SubBits) - 1);
  const unsigned List = Exact + ((Log - 6) << SubBits) + Sub;
  return List < Count ? List : Count - 1;
}

static bool before(const Block *A, const Block *B) {
  return A->Size != B->Size ? A->Size < B->Size : A->At < B->At;
}

void FreeLists::insert(Block *B) {
  const unsigned L = listOf(B->Size);
  Block *Before = nullptr, *After = Lists[L];
  for (unsigned I = 0; I < Depth && After && before(After, B); ++I) {
    Before = After;
    After = After->Right;
  }
  B->Left = Before;
  B->Right = After;
  (Before ? Before->Right : Lists[L]) = B;
  if (After)
    After->Left = B;
  NonEmpty[L / 64] |= uint64_t(1) << (L % 64);
}

void FreeLists::remove(Block *B) {
  if (B->Right)
    B->Right->Left = B->Left;
  if (B->Left) {
    B->Left->Right = B->Right;
    return;
  }
  const unsigned L = listOf(B->Size);
  Lists[L] = B->Right;
  if (!Lists[L])
    NonEmpty[L / 64] &= ~(uint64_t(1) << (L % 64));
}

Block *FreeLists::find(size_t Size) const {
  const unsigned L = listOf(Size);
  Block *B = Lists[L];
  for (unsigned I = 0; I < Depth && B; ++I, B = B->Right)
    if (B->Size >= Size)
      return B;
  // All that is in the lists above is large enough.
  unsigned Word = (L + 1) / 64;
  if (Word >= sizeof(NonEmpty) / sizeof(*NonEmpty))
    return nullptr;
  uint64_t Bits = NonEmpty[Word] & (~uint64_t(0) << ((L + 1) % 64));
  while (!Bits) {
    if (++Word == sizeof(NonEmpty) / sizeof(*NonEmpty))
      break;
    Bits = NonEmpty[Word];
  }
  if (Bits)
    return Lists[Word * 64 + static_cast<unsigned>(__builtin_ctzll(Bits))];
  // Deep in its own list, the last resort before new memory.
  for (; B; B = B->Right)
    if (B->Size >= Size)
      return B;
  return nullptr;
}

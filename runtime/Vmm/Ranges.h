//===- Ranges.h - Blocks within ranges of addresses -------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Knows neither driver nor handles: addresses come and go by whole pages, and
/// blocks are cut from them, best fit first, and merged again. Two kinds: large
/// blocks, whose ranges grow together where they touch, and small ones, whose
/// pages stay apart so that each can be given back alone. Not thread-safe.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_RANGES_H
#define TORCHTIDY_RUNTIME_VMM_RANGES_H

#include "FreeLists.h"
#include <memory>
#include <vector>

namespace torchtidy::vmm {

class Ranges {
public:
  enum class Kind { Large, Small };

  Ranges(PageTable &Pages, Kind What) : Pages(Pages), What(What) {}
  Ranges(const Ranges &) = delete;
  Ranges &operator=(const Ranges &) = delete;
  ~Ranges();

  /// \p Size is a multiple of GrainBytes. Null if nothing free is as large.
  Block *take(size_t Size);
  /// From the start of a free block that is large enough.
  Block *takeFrom(Block *Free, size_t Size);
  /// The free block that it became, with its neighbours.
  Block *give(Block *B);
  /// The live block that begins here, or null.
  Block *find(Address A) const;

  /// Whole pages become free memory of this kind, beside what touches them.
  Block *add(Address At, size_t Bytes);
  /// Whole pages within one free block go.
  void remove(Block *Free, Address At, size_t Bytes);

  size_t freeBytes() const { return FreeTotal; }
  /// Free blocks that share their range with others: count and bytes.
  size_t splitCount() const { return SplitCount; }
  size_t splitBytes() const { return SplitTotal; }

  /// Keeps the free blocks in order of address from now on, or no longer: what
  /// is needed only where a driver call is about to be made anyway.
  void order(bool On);
  const std::vector<Block *> &ordered() const { return Ordered; }
  /// The free block that covers an address, while in order.
  Block *covering(Address A) const;

private:
  Block *make(Address At, size_t Size);
  void drop(Block *B);
  void insertFree(Block *B);
  void removeFree(Block *B);
  /// \p B is the first or the last of its range: pages must know.
  void mark(Block *B);
  void unmark(Block *B);
  void setStart(Block *B, bool Live);

  PageTable &Pages;
  const Kind What;
  FreeLists Lists;
  size_t FreeTotal = 0, SplitCount = 0, SplitTotal = 0;
  bool InOrder = false;
  std::vector<Block *> Ordered;
  Block *Spare = nullptr;
  std::vector<std::unique_ptr<Block[]>> Store;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_RANGES_H

//===- Tables.h - Pages, handles and mappings -------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A handle is physical memory, a mapping one place where it can be seen. Of a
/// handle's mappings at most one is current: blocks lie in current mappings
/// alone, so that memory is never used at two addresses. The others keep their
/// addresses until these are needed again: then the same stitching of handles
/// costs no driver call (after GMLake, arXiv 2401.08156, section 4).
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_VMM_TABLES_H
#define TORCHTIDY_RUNTIME_VMM_TABLES_H

#include "Driver.h"
#include <atomic>
#include <memory>

namespace torchtidy::vmm {

class Arena;
struct Block;
struct Mapping;

/// The unit in which memory is mapped, in bytes.
constexpr unsigned PageShift = 21;
constexpr size_t PageBytes = size_t(1) << PageShift;
/// The unit of requests, as in LibTorch (kMinBlockSize).
constexpr size_t GrainBytes = 512;
constexpr size_t GrainsPerPage = PageBytes / GrainBytes;

constexpr size_t roundUp(size_t Bytes, size_t Unit) {
  return (Bytes + Unit - 1) / Unit * Unit;
}

struct Handle {
  MemoryId Id = 0;
  size_t Bytes = 0;
  Arena *Owner = nullptr;     ///< null: pooled, and nothing uses it any more
  Mapping *Current = nullptr; ///< of the owner
  Mapping *First = nullptr;   ///< all its mappings, by Next
  uint64_t LastFree = 0;      ///< the owner's epoch when a block left it
  uint64_t FreeIn = 0;        ///< the search in which it was wholly free
  size_t FreeAmong = 0;       ///< then: bytes of the free block around it
  uint64_t UsedIn = 0;        ///< the step of a search that counted it
  Mapping *CountedAt = nullptr;
};

struct Mapping {
  Address At = 0;
  Handle *Of = nullptr;
  Arena *Where = nullptr;  ///< whose addresses these are
  Mapping *Next = nullptr; ///< of the same handle
  uint64_t DeadSince = 0;  ///< epoch of Where when it ceased to be current
  bool Accessible = false;
  bool OfSmall = false; ///< among the addresses of small pages

  size_t bytes() const { return Of->Bytes; }
  Address end() const { return At + Of->Bytes; }
  bool current() const { return Of->Current == this; }
};

/// What begins within each grain of a page of small blocks.
struct Grains {
  Block *Starts[GrainsPerPage];
};

/// Zeroes until something is there.
struct Page {
  Arena *Owner;
  Mapping *Map;
  /// Live blocks that begin here, of more than half a page each.
  Block *Starts[2];
  /// Those that begin or end a range with the page, free or not.
  Block *Head, *Tail;
  Grains *Small; ///< for pages of small blocks
};

/// Address -> page, in two steps; looked up without a lock. Leaves come with
/// address ranges and stay.
class PageTable {
public:
  PageTable();
  ~PageTable();
  PageTable(const PageTable &) = delete;
  PageTable &operator=(const PageTable &) = delete;

  /// Null where nothing was ever added.
  Page *find(Address A) const {
    const size_t I = A >> LeafShift;
    if (I >= RootSize)
      return nullptr;
    Page *Leaf = Root[I].load(std::memory_order_acquire);
    return Leaf ? Leaf + ((A >> PageShift) & (LeafSize - 1)) : nullptr;
  }
  /// Throws std::bad_alloc; addresses beyond 2^48 are refused.
  bool add(Address At, size_t Bytes);

private:
  static constexpr unsigned LeafShift = 32, AddressBits = 48;
  static constexpr size_t LeafSize = size_t(1) << (LeafShift - PageShift);
  static constexpr size_t RootSize = size_t(1) << (AddressBits - LeafShift);
  std::unique_ptr<std::atomic<Page *>[]> Root;
};

} // namespace torchtidy::vmm

#endif // TORCHTIDY_RUNTIME_VMM_TABLES_H

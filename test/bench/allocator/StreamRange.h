//===- StreamRange.h - Best fit in one range of addresses -------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The memory of one stream in the "best fit, no remap" column: exact best fit
/// with coalescing over one reserved range, which grows at its end and never
/// moves anything. What a real allocator could do best without remapping.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_BENCH_ALLOCATOR_STREAMRANGE_H
#define TORCHTIDY_BENCH_ALLOCATOR_STREAMRANGE_H

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace torchtidy::bench {

class StreamRange {
public:
  /// Reserves \p Span addresses; memory comes in handles of \p HandleBytes.
  StreamRange(uint64_t Span, uint64_t HandleBytes);
  ~StreamRange();

  /// 0: neither a free block nor memory to grow.
  uint64_t allocate(uint64_t Bytes);
  void free(uint64_t Address);
  bool owns(uint64_t Address) const {
    return Address >= Begin && Address < Begin + Span;
  }
  /// Gives back free handles at the end. The caller has synchronised.
  void trim();
  uint64_t reserved() const { return End - Begin; }

private:
  struct Handle {
    unsigned long long Id;
    uint64_t Bytes;
  };
  const uint64_t Span, HandleBytes;
  unsigned long long Begin = 0;
  uint64_t End = 0; ///< of what is mapped
  std::vector<Handle> Handles;
  std::map<uint64_t, uint64_t> Free; ///< bytes by address
  std::set<std::pair<uint64_t, uint64_t>> BySize;
  std::unordered_map<uint64_t, uint64_t> Live;

  bool grow(uint64_t Bytes);
  bool map(uint64_t Bytes);
  void insert(uint64_t Address, uint64_t Bytes);
  void erase(std::map<uint64_t, uint64_t>::iterator It);
};

} // namespace torchtidy::bench

#endif // TORCHTIDY_BENCH_ALLOCATOR_STREAMRANGE_H

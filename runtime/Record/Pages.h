//===- Pages.h - Memory that is not the program's ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// The recorder's own memory comes straight from the kernel: it must not show
/// in what it measures, nor call an allocator that may be half way through a
/// call of its own.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_PAGES_H
#define TORCHTIDY_RUNTIME_RECORD_PAGES_H

#include <cstddef>
#include <cstdint>

namespace torchtidy::record {

/// Zeroed pages; null if the kernel has none.
void *mapPages(size_t Bytes);
void unmapPages(void *P, size_t Bytes);

inline uint64_t mixBits(uint64_t V) {
  V *= 0x9e3779b97f4a7c15u;
  return V ^ (V >> 32);
}

/// From a pointer to a small value; open addressing, grows, never shrinks.
/// Not thread-safe.
class PointerMap {
public:
  /// The value's place; null if \p Key is not there.
  uint64_t *find(const void *Key);
  /// The same, made with 0 if it was not there; null without memory.
  uint64_t *insert(const void *Key);
  void erase(const void *Key);
  size_t size() const { return Count; }
  /// Calls F(key, value) -> bool; true erases the entry.
  template <typename Fn> void eraseIf(Fn F);

private:
  struct Slot {
    uintptr_t Key;
    uint64_t Value;
  };
  size_t place(uintptr_t Key) const;
  bool grow();
  void eraseAt(size_t I);

  Slot *Slots = nullptr;
  size_t Capacity = 0, Count = 0;
};

template <typename Fn> void PointerMap::eraseIf(Fn F) {
  for (size_t I = 0; I < Capacity;) {
    // Erasing moves a later entry here, so the place is looked at again.
    if (Slots[I].Key &&
        F(reinterpret_cast<void *>(Slots[I].Key), Slots[I].Value))
      eraseAt(I);
    else
      ++I;
  }
}

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_PAGES_H

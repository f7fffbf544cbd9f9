//===- HandleTable.h - Objects behind opaque handles ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Handles that the program holds as pointers but cannot follow. A handle is
/// never valid again once its object is gone, or after a reset.
///
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_HANDLETABLE_H
#define FAKECUDA_HANDLETABLE_H

#include <cstdint>
#include <deque>
#include <vector>

namespace fakecuda {

template <typename T> class HandleTable {
public:
  /// \p Tag is the top byte of the handles. Below 0x80: PyTorch keeps streams
  /// in signed numbers.
  explicit HandleTable(uint8_t Tag) : Tag(Tag) {}

  void *add(T Value) {
    uint32_t Index;
    if (Free.empty()) {
      Index = Slots.size();
      Slots.emplace_back();
    } else {
      Index = Free.back();
      Free.pop_back();
    }
    Serial = (Serial + 1) & 0xffffff;
    uint64_t Handle = uint64_t(Tag) << 56 | uint64_t(Serial) << 32 | Index << 4;
    Slots[Index] = {std::move(Value), Handle};
    return reinterpret_cast<void *>(Handle);
  }
  /// Null: no such object.
  T *get(const void *Handle) {
    uint64_t Number = reinterpret_cast<uint64_t>(Handle);
    uint32_t Index = uint32_t(Number) >> 4;
    if (Index >= Slots.size() || Slots[Index].Handle != Number)
      return nullptr;
    return &Slots[Index].Value;
  }
  /// The handle must be valid.
  void remove(const void *Handle) {
    uint32_t Index = uint32_t(reinterpret_cast<uint64_t>(Handle)) >> 4;
    Slots[Index] = {T(), 0};
    Free.push_back(Index);
  }
  void clear() {
    Slots.clear();
    Free.clear();
  }
  template <typename F> void forEach(F Function) {
    for (Slot &S : Slots)
      if (S.Handle)
        Function(S.Value);
  }

private:
  struct Slot {
    T Value;
    uint64_t Handle = 0;
  };
  std::deque<Slot> Slots;
  std::vector<uint32_t> Free;
  uint32_t Serial = 0;
  uint8_t Tag;
};

} // namespace fakecuda

#endif // FAKECUDA_HANDLETABLE_H

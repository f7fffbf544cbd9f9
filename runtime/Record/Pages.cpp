//===- Pages.cpp - Memory that is not the program's -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pages.h"
#include <sys/mman.h>

using namespace torchtidy::record;

void *torchtidy::record::mapPages(size_t Bytes) {
  void *P = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return P == MAP_FAILED ? nullptr : P;
}

void torchtidy::record::unmapPages(void *P, size_t Bytes) {
  if (P)
    munmap(P, Bytes);
}

size_t PointerMap::place(uintptr_t Key) const {
  size_t I = mixBits(Key) & (Capacity - 1);
  while (Slots[I].Key && Slots[I].Key != Key)
    I = (I + 1) & (Capacity - 1);
  return I;
}

bool PointerMap::grow() {
  size_t NewCapacity = Capacity ? Capacity * 2 : 1024;
  auto *New = static_cast<Slot *>(mapPages(NewCapacity * sizeof(Slot)));
  if (!New)
    return false;
  Slot *Old = Slots;
  size_t OldCapacity = Capacity;
  Slots = New;
  Capacity = NewCapacity;
  for (size_t I = 0; I < OldCapacity; ++I)
    if (Old[I].Key)
      Slots[place(Old[I].Key)] = Old[I];
  unmapPages(Old, OldCapacity * sizeof(Slot));
  return true;
}

uint64_t *PointerMap::find(const void *Key) {
  if (!Capacity)
    return nullptr;
  Slot &S = Slots[place(reinterpret_cast<uintptr_t>(Key))];
  return S.Key ? &S.Value : nullptr;
}

uint64_t *PointerMap::insert(const void *Key) {
  if ((Count + 1) * 2 > Capacity && !grow())
    return nullptr;
  Slot &S = Slots[place(reinterpret_cast<uintptr_t>(Key))];
  if (!S.Key) {
    S = {reinterpret_cast<uintptr_t>(Key), 0};
    ++Count;
  }
  return &S.Value;
}

void PointerMap::erase(const void *Key) {
  if (!Capacity)
    return;
  size_t I = place(reinterpret_cast<uintptr_t>(Key));
  if (Slots[I].Key)
    eraseAt(I);
}

void PointerMap::eraseAt(size_t I) {
  // Close the gap: move back every later entry of the run that may be there.
  size_t Mask = Capacity - 1;
  for (size_t J = (I + 1) & Mask; Slots[J].Key; J = (J + 1) & Mask) {
    size_t Home = mixBits(Slots[J].Key) & Mask;
    if (((J - Home) & Mask) >= ((J - I) & Mask)) {
      Slots[I] = Slots[J];
      I = J;
    }
  }
  Slots[I] = {0, 0};
  --Count;
}

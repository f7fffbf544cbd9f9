//===- StackTree.cpp - The tree of all stacks -----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "Pages.h"
#include "Stacks.h"
#include "Writer.h"
#include <atomic>

using namespace torchtidy;
using namespace torchtidy::record;

namespace {

/// Read without a lock: an entry is complete once its Id is there.
struct Entry {
  uintptr_t Address;
  uint32_t Parent;
  std::atomic<uint32_t> Id; ///< 0: free
};

struct Table {
  uint32_t Mask;
  Entry Entries[1];
};

/// What defined stack Id, for a child's log.
struct Definition {
  uintptr_t Address;
  uint32_t Parent;
  bool Inherited;
};

std::atomic<Table *> Current;
Definition *Definitions;
uint32_t DefinitionRoom, Count;
/// Far above what programs have; past it stacks fall back to their caller's.
constexpr uint32_t MaxStacks = 1u << 22;

uint32_t hash(uint32_t Parent, uintptr_t Address) {
  return static_cast<uint32_t>(
      mixBits(Address ^ (static_cast<uint64_t>(Parent) << 40) ^ Parent));
}

/// The entry of a stack, or the free one where it belongs.
Entry &place(Table &T, uint32_t Parent, uintptr_t Address) {
  for (uint32_t I = hash(Parent, Address);; ++I) {
    Entry &E = T.Entries[I & T.Mask];
    uint32_t Id = E.Id.load(std::memory_order_acquire);
    if (!Id || (E.Address == Address && E.Parent == Parent))
      return E;
  }
}

/// Old tables stay mapped, since another thread may be reading one.
Table *grow(Table *Old) {
  uint32_t Size = Old ? (Old->Mask + 1) * 2 : 1u << 14;
  auto *New =
      static_cast<Table *>(mapPages(sizeof(Table) + sizeof(Entry) * Size));
  if (!New)
    return nullptr;
  New->Mask = Size - 1;
  for (uint32_t I = 0; Old && I <= Old->Mask; ++I) {
    const Entry &E = Old->Entries[I];
    uint32_t Id = E.Id.load(std::memory_order_relaxed);
    if (!Id)
      continue;
    Entry &To = place(*New, E.Parent, E.Address);
    To.Address = E.Address;
    To.Parent = E.Parent;
    To.Id.store(Id, std::memory_order_relaxed);
  }
  Current.store(New, std::memory_order_release);
  return New;
}

/// Under the writer's lock.
void writeFrame(uint32_t Parent, uintptr_t Address, bool IsInherited) {
  if (!logBegun())
    return; // the log begins with all of them
  if (!moduleKnown(Address))
    writeModules(false);
  trace::Encoder &E = openRecord();
  E.tag(trace::Kind::Frame, IsInherited ? trace::Inherited : 0);
  E.number(Parent);
  E.address(Address);
}

bool roomForDefinition() {
  if (Count + 1 < DefinitionRoom)
    return true;
  uint32_t Room = DefinitionRoom ? DefinitionRoom * 2 : 1u << 13;
  auto *New = static_cast<Definition *>(mapPages(Room * sizeof(Definition)));
  if (!New)
    return false;
  for (uint32_t I = 0; I <= Count && Definitions; ++I)
    New[I] = Definitions[I];
  unmapPages(Definitions, DefinitionRoom * sizeof(Definition));
  Definitions = New;
  DefinitionRoom = Room;
  return true;
}

} // namespace

uint32_t torchtidy::record::extendStack(uint32_t Parent, uintptr_t Address,
                                        bool Inherited) {
  Table *T = Current.load(std::memory_order_acquire);
  if (T)
    if (uint32_t Id =
            place(*T, Parent, Address).Id.load(std::memory_order_acquire))
      return Id;

  WriterLock Lock;
  T = Current.load(std::memory_order_relaxed);
  if (T)
    if (uint32_t Id =
            place(*T, Parent, Address).Id.load(std::memory_order_relaxed))
      return Id; // another thread was quicker
  if (!T || (Count + 1) * 2 > T->Mask)
    T = Count < MaxStacks ? grow(T) : nullptr;
  if (!T || !roomForDefinition())
    return Parent;
  uint32_t Id = ++Count;
  Definitions[Id] = {Address, Parent, Inherited};
  Entry &E = place(*T, Parent, Address);
  E.Address = Address;
  E.Parent = Parent;
  writeFrame(Parent, Address, Inherited);
  E.Id.store(Id, std::memory_order_release);
  return Id;
}

void torchtidy::record::rewriteFrames() {
  for (uint32_t I = 1; I <= Count; ++I)
    writeFrame(Definitions[I].Parent, Definitions[I].Address,
               Definitions[I].Inherited);
}

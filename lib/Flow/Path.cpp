//===- Path.cpp - Which tensor is which on one path -----------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Path.h"
#include "Semantics/Operators.h"
#include "llvm/ADT/Hashing.h"

using namespace clang;
using namespace torchtidy::flow;

PartKey PartKey::field(const FieldDecl *F) {
  return {Field, reinterpret_cast<uint64_t>(F->getCanonicalDecl())};
}

PartKey PartKey::text(StringRef Text) {
  return {PartKey::Text, llvm::hash_value(Text)};
}

PartKey PartKey::declared(const ValueDecl *D) {
  return {Declared, reinterpret_cast<uint64_t>(D->getCanonicalDecl())};
}

ThingId Path::add(Thing T) {
  Things.push_back(std::move(T));
  return Things.size() - 1;
}

ThingId Path::addTensor(const Expr *Made) {
  const ThingId Id = add({});
  Things[Id].K = Thing::Tensor;
  Things[Id].Made = Made;
  Things[Id].Root = Id;
  return Id;
}

SlotId Path::addSlot(ThingId T) {
  Slots.push_back(T);
  return Slots.size() - 1;
}

ThingId Path::copyOf(ThingId T) {
  if (Things[T].K != Thing::Group || Things[T].IsShared)
    return T;
  Thing Copy = Things[T];
  for (auto &[Key, Slot] : Copy.Parts) {
    const ThingId Part = copyOf(Slots[Slot]);
    Slot = addSlot(Part);
  }
  return add(std::move(Copy));
}

Found Path::part(ThingId Id, const PartKey &K, bool Make) {
  if (Things[Id].K != Thing::Group)
    return {};
  const auto It = Things[Id].Parts.find(K);
  if (It != Things[Id].Parts.end())
    return {Slots[It->second], It->second};
  if (!Make && !Things[Id].IsOpen)
    return {0, Nowhere, Id};
  ThingId New = 0;
  if (const Thing Of = Things[Id]; Of.IsOpen && Of.Made) {
    New = addTensor(Of.Made);
    Things[New].MayBeInput = Of.MayBeInput;
    Things[New].HasNoGradient = Of.Op && Of.Op->Outputs > 1 &&
                                K.K == PartKey::Number &&
                                !Of.Op->mayHaveHistory(K.N);
    if (Of.Root) // each is a view
      Things[New].Root = Of.Root;
  }
  const SlotId Slot = addSlot(New);
  Things[Id].Parts[K] = Slot;
  return {New, Slot};
}

SlotId Path::addNameless(ThingId Id, ThingId T) {
  const SlotId Slot = addSlot(T);
  Things[Id].Parts[{PartKey::Nameless, Slot}] = Slot;
  return Slot;
}

void Path::forgetOrder(ThingId Id) {
  std::map<PartKey, SlotId> Parts;
  for (const auto &[Key, Slot] : Things[Id].Parts)
    Parts[{PartKey::Nameless, Slot}] = Slot;
  Things[Id].Parts = std::move(Parts);
  Things[Id].IsOpen = true;
  Things[Id].Made = nullptr; // what else is in there, nobody knows
}

void Path::forgetParts(ThingId Id) {
  Things[Id].Parts.clear();
  Things[Id].IsOpen = true;
  Things[Id].Made = nullptr;
}

bool Path::tensorsIn(ThingId Id, std::vector<ThingId> &Out,
                     unsigned Depth) const {
  const Thing &T = Things[Id];
  if (T.K == Thing::Tensor) {
    Out.push_back(Id);
    return true;
  }
  if (T.K != Thing::Group || Depth > 6)
    return false;
  bool All = !T.IsOpen;
  for (const auto &[Key, Slot] : T.Parts)
    All &= tensorsIn(Slots[Slot], Out, Depth + 1);
  return All;
}

//===- PathContainers.cpp - Lists, dictionaries and saved data ------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/PathWalk.h"
#include "Flow/Transfer.h"
#include "Semantics/Questions.h"
#include "Semantics/SavedData.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;
using semantics::Call;
using semantics::CallKind;

PartKey PathWalk::keyOf(const Expr *E) const {
  E = skipNoise(E);
  while (const auto *X = dyn_cast_or_null<CXXConstructExpr>(E)) {
    if (X->getNumArgs() == 0)
      return PartKey::text("");
    E = skipNoise(X->getArg(0));
  }
  if (const auto *S = dyn_cast_or_null<StringLiteral>(E);
      S && S->getCharByteWidth() == 1)
    return PartKey::text(S->getString());
  // A parameter is another key in each call.
  if (const auto *R = dyn_cast_or_null<DeclRefExpr>(E);
      R && !isa<ParmVarDecl>(R->getDecl()))
    return PartKey::declared(R->getDecl());
  return {};
}

void PathWalk::insert(const Call &C, ThingId G) {
  const bool Saves = P.Things[G].IsSavedData;
  auto Add = [&](const PartKey &Key, ThingId What) {
    const SlotId Slot = Key.K == PartKey::Nameless
                            ? P.addNameless(G, 0)
                            : P.part(G, Key, /*Make=*/true).Where;
    P.Slots[Slot] = What;
    if (Saves)
      store(Slot, C.E);
  };
  if (C.Args.empty())
    return;
  const ThingId Last = P.copyOf(P.read(value(C.Args.back())));
  if (semantics::appends(C)) {
    const Thing &X = P.Things[G];
    Add(X.IsOpen ? PartKey() : PartKey::number(X.Parts.size()), Last);
  } else if (const Expr *Key = semantics::insertedKey(C)) {
    // Of a pair it is the second.
    const ThingId What =
        C.Args.size() == 1
            ? P.read(P.part(Last, PartKey::number(1), /*Make=*/false))
            : Last;
    Add(keyOf(Key), What);
  } else {
    // In the middle of a list, or several at once.
    const ThingId What = Last;
    P.forgetOrder(G);
    Add({}, What);
  }
}

/// A method of something that has parts.
Found PathWalk::container(const Call &C, const Found &Object) {
  const ThingId G = P.read(Object);
  const bool Saves = P.Things[G].IsSavedData;
  if (const Expr *Key = semantics::subscriptKey(C);
      Key && (Saves || !Key->getType()->isIntegerType())) {
    const PartKey K = keyOf(Key);
    Found Part;
    if (K.K == PartKey::Nameless)
      Part = {0, P.addNameless(G, 0)};
    else
      Part = P.part(G, K, /*Make=*/true);
    if (Saves)
      P.Saved.try_emplace(Part.Where);
    return Part;
  }
  if (Saves && !semantics::keepsContents(C)) {
    if (semantics::leavesEmpty(C)) {
      P.Things[G].Parts.clear();
      P.Saved.clear();
    } else if (semantics::erasesByKey(C)) {
      P.IsLost |= keyOf(C.Args[0]).K != PartKey::Text;
      auto &Parts = P.Things[G].Parts;
      if (auto It = Parts.find(keyOf(C.Args[0])); It != Parts.end()) {
        P.Saved.erase(It->second);
        Parts.erase(It);
      }
    } else if (C.Kind == CallKind::Insert || semantics::insertedKey(C)) {
      insert(C, G);
    } else {
      P.IsLost = true;
    }
    return {};
  }
  if (Saves)
    return {};
  if (C.Kind == CallKind::Insert) {
    insert(C, G);
    return {};
  }
  if (C.Kind == CallKind::Bound) {
    Thing &X = P.Things[G];
    if (semantics::leavesEmpty(C)) {
      X.Parts.clear();
      X.IsOpen = false;
    } else if (semantics::dropsLast(C) && !X.IsOpen && !X.Parts.empty()) {
      X.Parts.erase(std::prev(X.Parts.end()));
    } else {
      P.forgetParts(G);
    }
    return {};
  }
  if (semantics::replacesPart(C)) {
    P.forgetParts(G);
    return {};
  }
  const Thing &X = P.Things[G];
  if (auto I = semantics::partOf(C, X.IsOpen ? 0 : X.Parts.size()))
    return P.part(G, PartKey::number(*I), /*Make=*/false);
  if (C.Kind == CallKind::Access && !semantics::subscriptKey(C) &&
      !A.T.isContainer(C.Object->getType()))
    return Object; // elements(), vec(), operator->
  return {0, Nowhere, G};
}

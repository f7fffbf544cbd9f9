//===- TransferAssign.cpp - Effects of assignments ------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"
#include "Semantics/Arguments.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

/// A handful of slots is no history.
static bool isSmallArray(QualType Type, const semantics::Types &T) {
  constexpr uint64_t FewSlots = 8;
  const auto Size = T.fixedSize(Type);
  return Size && *Size <= FewSlots;
}

/// Does the left side name one element of a container? Then other elements
/// stay. \p Key gets the index.
static bool isElement(const Expr *Left, const semantics::Types &T,
                      const Expr *&Key, bool &Fixed) {
  Left = skipNoise(Left);
  if (const auto *X = dyn_cast<ArraySubscriptExpr>(Left)) {
    Key = X->getIdx();
    Fixed = isSmallArray(skipNoise(X->getBase())->getType(), T);
    return true;
  }
  const Expr *Object = nullptr;
  if (const auto *O = dyn_cast<CXXOperatorCallExpr>(Left)) {
    if (O->getOperator() != OO_Subscript)
      return false;
    Object = O->getArg(0);
    Key = O->getArg(1);
  } else if (const auto *M = dyn_cast<CXXMemberCallExpr>(Left)) {
    Object = M->getImplicitObjectArgument();
    Key = M->getNumArgs() ? M->getArg(0) : nullptr;
  } else if (const auto *M = dyn_cast<MemberExpr>(Left)) {
    // v[i].loss = t
    return isElement(M->getBase(), T, Key, Fixed);
  }
  if (!Object || T.isTensor(Object->getType()))
    return false;
  Fixed = isSmallArray(Object->getType(), T);
  return T.isFixedArray(Object->getType()) || T.isContainer(Object->getType());
}

bool Transfer::assignTie(const Expr *E, const Expr *Left, Value From,
                         const Expr *Right) {
  const auto *C = dyn_cast<CallExpr>(skipNoise(Left));
  if (!C)
    return false;
  if (!semantics::isTie(semantics::classify(C, A.T, A.Names)))
    return false;
  for (unsigned I = 0; I < C->getNumArgs(); ++I) {
    const Expr *Arg = C->getArg(I);
    Value Element;
    Element.B = read(From).B;
    Element.H = From.Elements.size() > I ? From.Elements[I].H : read(From).H;
    if (From.Elements.size() <= I && From.Loc.valid())
      Element.H = read(partOf(From.Loc, Right->getType(), I)).H;
    if (assignTie(E, Arg, Element, Right) || !carries(Arg))
      continue;
    Value Part = value(Arg);
    if (!Part.Loc.valid())
      continue;
    flowInto(Right, Part.Loc);
    write(Part.Loc, {Element.H, Element.Shape, Element.B}, /*Weak=*/false);
    if (Event *X = record(Event::Store, E)) {
      X->How = Event::Rebind;
      X->Stored = Right;
      X->Target = Part.Loc;
      X->H = Element.H;
    }
  }
  return true;
}

void Transfer::assign(const Expr *E, const Expr *Left, const Expr *Right) {
  const Expr *Target = skipNoise(Left);
  Value To = value(Left), From = value(Right);
  if (assignTie(E, Left, From, Right))
    return;
  // A guard in a smart pointer, made later.
  if (A.T.guardKind(Left->getType()) != semantics::GuardKind::None) {
    if (const auto *V = dyn_cast_or_null<VarDecl>(To.Loc.Root)) {
      if (auto On = engaged(Right); On && *On) {
        S->Saved.try_emplace(V, S->Grad);
        S->Grad = underHandle(Left->getType(), Right);
      } else {
        endOfLife(V);
      }
    }
    return;
  }
  if (From.SavedMode && To.Loc.valid())
    if (const auto *V = dyn_cast_or_null<VarDecl>(To.Loc.Root))
      S->Flags[V] = *From.SavedMode;
  if (To.IsGradient) {
    if (Event *X = record(
            semantics::isAbsent(Right) ? Event::ZeroGrad : Event::ScaleGrad, E))
      X->ByHand = true;
    return;
  }
  keepModule(Right, To.Loc);
  if (!carries(Left))
    return;
  // w = w - lr * w.grad(): a new tensor; w.data() = ...: the old one.
  if (A.T.isTensor(Left->getType()) && !isa<DeclRefExpr>(skipNoise(Right)))
    stepByHand(E, Target->isPRValue() ? Left : nullptr, Right);
  Cell C = read(From);
  // buf[i] = t on a tensor writes into the buffer.
  if (A.T.isTensor(Left->getType()) && Target->isPRValue()) {
    const Storage Buffer = To.View;
    if (!Buffer.valid())
      return leaks(Right);
    flowInto(Right, Buffer);
    if (Event *X = record(Event::Store, E)) {
      X->How = Event::InPlace;
      X->Stored = Right;
      X->Target = Buffer;
      X->H = C.H.through(S->Grad, E);
    }
    meet(Meeting::Changes, E, Left, read(Buffer).B);
    write(Buffer,
          {C.H.through(S->Grad, E), LossShape::other(), Birth::nothing()},
          /*Weak=*/true);
    return;
  }
  if (!To.Loc.valid())
    return leaks(Right); // wherever that goes
  flowInto(Right, To.Loc, /*Whole=*/isa<DeclRefExpr>(Target));
  const Expr *Key = nullptr;
  bool Fixed = false;
  const bool Element = isElement(Left, A.T, Key, Fixed);
  const bool Iterator =
      isa<CXXOperatorCallExpr>(Target) &&
      cast<CXXOperatorCallExpr>(Target)->getOperator() == OO_Star;
  if (!Element && !Iterator && C.H.onlyNone()) {
    if (Event *X = record(Event::Bound, E))
      X->Target = To.Loc;
  } else if (!Iterator) {
    if (Event *X = record(Event::Store, E)) {
      X->How = Element ? Event::Indexed : Event::Rebind;
      X->Stored = Right;
      X->Key = Key;
      X->FixedHolder = Fixed;
      X->Target = To.Loc;
      X->H = C.H;
    }
  }
  write(To.Loc, C, Element || Iterator);
  if (const VarDecl *V = tracked(To.Loc);
      V && From.Needs && isa<DeclRefExpr>(Target))
    S->Needs.insert(V);
  if (!Element && !Iterator)
    writeParts(To.Loc, Left->getType(), Right, From);
}

//===- TransferParts.cpp - Parts of tuples and aggregates -----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Transfer.h"

using namespace clang;
using namespace torchtidy;
using namespace torchtidy::flow;

Storage Transfer::partOf(const Storage &S, QualType Type, unsigned I) const {
  const auto Fields = A.T.partsOf(Type);
  return I < Fields.size() && Fields[I] ? S.field(Fields[I]) : S.element(I);
}

Transfer::Parts Transfer::partsFrom(llvm::ArrayRef<const Expr *> From) {
  Parts R;
  for (const Expr *P : From)
    R.push_back(carries(P) ? read(value(P))
                           : Cell{History::none(), LossShape::other(),
                                  Birth::nothing()});
  return R;
}

Transfer::Parts Transfer::parts(const Value &V, QualType From,
                                QualType To) const {
  const size_t Count = A.T.partsOf(To).size();
  if (Count == 0)
    return {};
  const bool Same = A.Context.hasSameUnqualifiedType(From.getNonReferenceType(),
                                                     To.getNonReferenceType());
  if (Same && V.Elements.size() == Count)
    return V.Elements;
  Parts R;
  for (unsigned I = 0; I < Count; ++I)
    R.push_back(read(V));
  if (Same && V.Loc.valid() && V.H.empty())
    for (unsigned I = 0; I < Count; ++I)
      R[I] = read(partOf(V.Loc, From, I));
  return R;
}

void Transfer::writeParts(const Storage &To, QualType Type, const Expr *From,
                          const Value &V) {
  From = skipNoise(From);
  const Parts Each = parts(V, From->getType(), Type);
  // Of what a constructor made the parts are not known.
  if (Each.empty() || A.T.isHandle(Type) ||
      (V.Elements.empty() && !V.Loc.valid()))
    return;
  // The whole has no more than its parts.
  write(To, {History::none(), LossShape::other(), Birth::nothing()},
        /*Weak=*/false);
  const auto *List = dyn_cast<InitListExpr>(From);
  const auto Fields = A.T.partsOf(Type);
  for (unsigned I = 0; I < Each.size(); ++I) {
    if (Fields[I] && !A.T.carriesTensor(Fields[I]->getType()))
      continue;
    const Storage Part = partOf(To, Type, I);
    write(Part, Each[I], /*Weak=*/false);
    if (List && I < List->getNumInits() && Fields[I])
      writeParts(Part, Fields[I]->getType(), List->getInit(I),
                 value(List->getInit(I)));
  }
}

//===- Birth.cpp - Under which mode tensors were made ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Lattice.h"

using namespace clang;
using namespace torchtidy::flow;

bool Birth::join(const Birth &O) {
  const Birth Before = *this;
  Bits |= O.Bits;
  At = Mode::first(At, O.At);
  By = Mode::first(By, O.By);
  if (!Of)
    Of = O.Of;
  else if (O.Of && *O.Of != *Of)
    Bits |= Unknown;
  return !(*this == Before);
}

Birth Birth::substitute(const Mode &Caller, const Lookup &Values) const {
  Birth R = *this;
  R.Of.reset();
  if (Bits & Entry) {
    R.Bits = uint8_t((Bits & ~Entry) | Caller.Makes);
    R.By = Mode::first(By, Caller.InferenceBy);
  }
  if (Of)
    R.join(Values(*Of));
  return R;
}

void State::forgetBirths(const Storage &S) {
  for (auto It = Cells.lower_bound(S);
       It != Cells.end() && It->first.startsWith(S); ++It)
    It->second.B = Birth::unknown();
}

//===- ModuleBirth.h - Under which mode a module was made -------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// A module's parameters are made with it and have no names of their own: their
/// birth is kept beside its fields, and holds for the modules inside it too.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_MODULEBIRTH_H
#define TORCHTIDY_FLOW_MODULEBIRTH_H

#include "Flow/Lattice.h"

namespace torchtidy::flow {

/// Where the birth of the parameters of \p Module is kept.
inline Storage parametersOf(const Storage &Module) {
  return Module.key("<parameters>");
}

/// Is it such a place?
inline bool isParametersOf(const Storage &S) {
  static const uintptr_t Last = parametersOf(Storage()).Path.back();
  return !S.Path.empty() && S.Path.back() == Last;
}

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_MODULEBIRTH_H

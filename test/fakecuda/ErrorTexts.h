//===- ErrorTexts.h - Names and texts of errors -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_ERRORTEXTS_H
#define FAKECUDA_ERRORTEXTS_H

namespace fakecuda {

struct ErrorTexts {
  int Value;
  const char *Driver, *Runtime, *Text;
};
/// Null: no such error.
const ErrorTexts *findError(int Error);

} // namespace fakecuda

#endif // FAKECUDA_ERRORTEXTS_H

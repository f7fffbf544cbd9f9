//===- Lookup.h - Driver functions by name ----------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_LOOKUP_H
#define FAKECUDA_LOOKUP_H

namespace fakecuda {

/// The function of that name as CUDA \p Version (12030: 12.3) has it; null: the
/// fake has none.
void *findDriverFunction(const char *Name, int Version);

} // namespace fakecuda

#endif // FAKECUDA_LOOKUP_H

//===- Shareable.h - Handles as file descriptors ----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FAKECUDA_SHAREABLE_H
#define FAKECUDA_SHAREABLE_H

#include "Outcome.h"

namespace fakecuda {

/// A descriptor that names the handle, for this process only; -1: none. It does
/// not keep the memory.
int exportHandle(uint64_t Handle);
Outcome importHandle(int Descriptor, uint64_t &Handle);

} // namespace fakecuda

#endif // FAKECUDA_SHAREABLE_H

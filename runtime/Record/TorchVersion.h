//===- TorchVersion.h - Which LibTorch is it? -------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_RUNTIME_RECORD_TORCHVERSION_H
#define TORCHTIDY_RUNTIME_RECORD_TORCHVERSION_H

#include <cstddef>

namespace torchtidy::record {

/// Such as "2.11.0"; empty if this LibTorch does not say. Not under the
/// writer's lock.
void readTorchVersion(char *To, size_t Size);

/// 1.13 to 2.15, or unknown: then the hooks' presence decides.
bool torchSupported(const char *Version);

} // namespace torchtidy::record

#endif // TORCHTIDY_RUNTIME_RECORD_TORCHVERSION_H

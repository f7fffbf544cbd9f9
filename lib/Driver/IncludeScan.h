//===- IncludeScan.h - What a file includes, from its text ------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_INCLUDESCAN_H
#define TORCHTIDY_DRIVER_INCLUDESCAN_H

#include "Driver/Invocation.h"

namespace torchtidy::driver {

/// LibTorch's headers that \p File and the project headers it includes name
/// unconditionally before any code, as `<name>` spells them, sorted. What
/// stands here may be parsed first; whether that changes anything is the
/// business of HoistGuard.
std::vector<std::string> leadingTorchHeaders(const std::string &File,
                                             const Invocation &I);

/// Whether \p File includes a header that \p Wanted takes, directly or through
/// other headers of the project, on some path through its conditionals.
bool includesHeader(const std::string &File,
                    llvm::function_ref<bool(const std::string &)> Wanted,
                    const Invocation &I);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_INCLUDESCAN_H

//===- CheckGlobs.h - When the torch checks run -----------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CHECKS_CHECKGLOBS_H
#define TORCHTIDY_CHECKS_CHECKGLOBS_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace torchtidy::checks {

/// The globs that choose torch checks where they need no switching on: all,
/// then what \p Configured (a `Checks` list of clang-tidy) says of them. Globs
/// without `torch` do not speak of ours: `-*` starts nearly every list.
std::string torchGlobs(llvm::StringRef Configured);

} // namespace torchtidy::checks

#endif // TORCHTIDY_CHECKS_CHECKGLOBS_H

//===- CheckMain.h - torchtidy check ----------------------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TOOLS_TORCHTIDY_CLANG_CHECKMAIN_H
#define TORCHTIDY_TOOLS_TORCHTIDY_CLANG_CHECKMAIN_H

#include <string>
#include <vector>

namespace torchtidy::tools {

/// \p Args stand behind the command's name; returns the exit status.
int checkMain(std::vector<std::string> Args);

} // namespace torchtidy::tools

#endif // TORCHTIDY_TOOLS_TORCHTIDY_CLANG_CHECKMAIN_H

//===- Commands.h - Entry points of the sub-commands ------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/// \file
/// One function per sub-command of `torchtidy` that needs no LLVM. Each takes
/// the arguments behind the command's name, parses its own options (also
/// --help) and returns the exit status.

#ifndef TORCHTIDY_TOOLS_TORCHTIDY_COMMANDS_H
#define TORCHTIDY_TOOLS_TORCHTIDY_COMMANDS_H

#include <string>
#include <vector>

namespace torchtidy::tools {

int runMain(std::vector<std::string> Args);
int confirmMain(std::vector<std::string> Args);

} // namespace torchtidy::tools

#endif // TORCHTIDY_TOOLS_TORCHTIDY_COMMANDS_H

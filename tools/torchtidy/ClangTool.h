//===- ClangTool.h - Finds and starts torchtidy-clang -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TOOLS_TORCHTIDY_CLANGTOOL_H
#define TORCHTIDY_TOOLS_TORCHTIDY_CLANGTOOL_H

#include <string>
#include <vector>

namespace torchtidy::tools {

/// The path of torchtidy-clang, the half of the tool that needs LLVM, beside
/// this executable; empty if this installation came without it.
std::string clangToolPath();

/// Replaces this process with `torchtidy-clang Command Args...`, or with
/// `torchtidy-clangd Args...` for `clangd`. Returns, with a message printed and
/// an exit status, only if that fails.
int execClangTool(const std::string &Command,
                  const std::vector<std::string> &Args);

} // namespace torchtidy::tools

#endif // TORCHTIDY_TOOLS_TORCHTIDY_CLANGTOOL_H

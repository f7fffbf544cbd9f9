//===- Modules.h - Modules that may hold flagged code -----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Programs and libraries that a command may load and that could hold flagged
/// code: candidates for breakpoints, known before the run.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_MODULES_H
#define TORCHTIDY_CONFIRM_MODULES_H

#include <string>
#include <vector>

namespace torchtidy::confirm {

/// ELF programs and shared libraries with line tables: the command's own
/// program (looked up in PATH), its arguments, what lies beside it and what
/// lies below \p BuildFolder (may be empty). Canonical paths, each once.
std::vector<std::string>
candidateModules(const std::vector<std::string> &Command,
                 const std::string &BuildFolder);

/// True for an ELF executable or shared library with a .debug_line section.
bool hasLineTable(const std::string &Path);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_MODULES_H

//===- Program.h - What kind of program a file is ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TOOLS_TORCHTIDY_PROGRAM_H
#define TORCHTIDY_TOOLS_TORCHTIDY_PROGRAM_H

#include <string>

namespace torchtidy::tools {

/// As a shell finds it; empty with errno set if there is none.
std::string findProgram(const std::string &Name);

struct ProgramKind {
  bool IsElf = false; ///< else a script, or nothing that runs
  bool RightMachine = true;
  bool StaticallyLinked = false; ///< nothing can be preloaded
  bool ContainsTorch = false;    ///< LibTorch's code is in the file itself
};

ProgramKind inspectProgram(const std::string &Path);

/// The recorder: named by TORCHTIDY_PRELOAD, else beside this installation.
/// Empty, with \p Error, if it is not there.
std::string findRecorder(std::string &Error);

} // namespace torchtidy::tools

#endif // TORCHTIDY_TOOLS_TORCHTIDY_PROGRAM_H

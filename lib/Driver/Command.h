//===- Command.h - Other compilers' commands for clang ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_COMMAND_H
#define TORCHTIDY_DRIVER_COMMAND_H

#include "Driver/Database.h"
#include <set>

namespace torchtidy::driver {

/// A compile command that clang's driver understands: wrappers, outputs and
/// other compilers' flags are gone, response files are expanded, paths are
/// absolute.
struct Unit {
  std::string File;
  std::string Directory;
  std::vector<std::string> Arguments; ///< [0] names the compiler
  bool Cuda = false;                  ///< parsed for the host only
  std::vector<std::string> Dropped;   ///< flags that clang does not know
};

/// Empty, with \p Error in one line, if the command cannot be used.
std::optional<Unit> normalise(const CompileCommand &C, std::string &Error);

/// CMake's own precompiled headers stand in databases as if they were files
/// of the project.
bool isGeneratedPrecompiledHeader(const std::string &File);

/// Rewrites what only nvcc knows; true if the compiler was nvcc.
bool translateNvcc(std::vector<std::string> &Arguments);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_COMMAND_H

//===- Database.h - Compile databases of real projects ----------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_DRIVER_DATABASE_H
#define TORCHTIDY_DRIVER_DATABASE_H

#include <optional>
#include <string>
#include <vector>

namespace torchtidy::driver {

/// One entry as the build system wrote it.
struct CompileCommand {
  std::string Directory; ///< absolute
  std::string File;      ///< absolute, without dots
  std::vector<std::string> Arguments;
};

struct Database {
  std::string Path; ///< of compile_commands.json; empty for fixed flags
  std::vector<CompileCommand> Commands;
};

/// Finds compile_commands.json: \p BuildPath is the file or its folder; if it
/// is empty the folders above \p Start and their build folders are searched.
/// Empty if there is none, with \p Error saying what to do.
std::optional<std::string> findDatabase(const std::string &BuildPath,
                                        const std::string &Start,
                                        std::string &Error);

/// Reads a database; identical entries are kept once. Empty on failure.
std::optional<Database> loadDatabase(const std::string &Path,
                                     std::string &Error);

/// `-- FLAGS`: every file is compiled with these flags in \p Directory.
Database fixedDatabase(const std::string &Directory,
                       const std::vector<std::string> &Flags,
                       const std::vector<std::string> &Files);

/// Absolute, without `.` and `..`; symbolic links are kept.
std::string absolutePath(const std::string &Directory, const std::string &Path);

/// `.cpp`, `.cc`, ... and `.cu`: what can hold LibTorch code.
bool isCxxSource(const std::string &File);
bool isCudaSource(const std::string &File);
bool isHeader(const std::string &File);

} // namespace torchtidy::driver

#endif // TORCHTIDY_DRIVER_DATABASE_H

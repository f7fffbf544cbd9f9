//===- Symbols.h - From return addresses to source places -------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Turns the stacks of a run into places of the source: one return address
/// gives the whole chain of inlined calls, innermost first. Modules that are no
/// longer the ones that ran give nothing, and are named.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_SYMBOLS_H
#define TORCHTIDY_CONFIRM_SYMBOLS_H

#include "Confirm/DebugInfo.h"
#include <map>
#include <unordered_map>

namespace torchtidy::confirm {

/// A program or library as it was loaded.
struct LoadedModule {
  std::string Path;
  std::string BuildId;         ///< hex, may be empty
  uint64_t Begin = 0, End = 0; ///< absolute addresses
  uint64_t Bias = 0;           ///< absolute = address in the file + Bias
  int64_t LoadedAt = 0;        ///< seconds since 1970, 0: unknown
};

struct Frame {
  std::string File;
  unsigned Line = 0, Column = 0; ///< 0: unknown
  std::string Function;
};

class Symbols {
public:
  explicit Symbols(std::vector<LoadedModule> Modules);

  /// Innermost first; empty if the module has no lines there.
  const std::vector<Frame> &frames(uint64_t ReturnAddress);

  /// Modules on disk that differ from those that ran.
  const std::vector<std::string> &changed() const { return Changed; }
  /// True if some module has a line table.
  bool hasLines() const { return Lines; }
  /// True if a module with lines was made of a file with this path; fills
  /// \p OlderModule with its path if the source is newer than the module.
  bool knowsFile(const std::string &File, std::string *OlderModule = nullptr);

private:
  struct Opened {
    LoadedModule Loaded;
    std::unique_ptr<DebugInfo> Info; ///< null if unusable
    std::vector<std::string> Files;  ///< read on first request
    bool FilesRead = false;
  };
  std::vector<Opened> Modules; ///< by Begin
  std::vector<std::string> Changed;
  bool Lines = false;
  std::unordered_map<uint64_t, std::vector<Frame>> Known;
};

/// `ns::Trainer::fit` of a mangled name: without parameters, which would fill
/// lines with template arguments. The name itself if it is not mangled.
std::string functionName(const char *Name);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_SYMBOLS_H

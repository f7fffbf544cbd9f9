//===- DebugInfo.h - Line tables and inline chains of one module *- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What libdw knows of one program or shared library, unit by unit and only on
/// request: line rows, function instances and the places they were inlined at.
/// Addresses are those of the file, before the loader moves it.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_CONFIRM_DEBUGINFO_H
#define TORCHTIDY_CONFIRM_DEBUGINFO_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace torchtidy::confirm {

/// One function instance with code: out of line or inlined.
struct CodeScope {
  int Parent = -1; ///< the scope it was inlined into, -1 for out of line
  unsigned Depth = 0;
  bool Inlined = false;
  const char *Name = nullptr;    ///< lives as long as the DebugInfo
  const char *Linkage = nullptr; ///< mangled, null if the compiler left it out
  unsigned DeclLine = 0;
  int CallFile = -1; ///< index into CodeUnit::Files
  unsigned CallLine = 0, CallColumn = 0;
  uint64_t Entry = 0;
  std::vector<std::pair<uint64_t, uint64_t>> Ranges;

  bool contains(uint64_t Address) const;
  /// Equal for all instances of a function and of a template.
  std::string key() const;
};

struct LineRow {
  uint64_t Address = 0, End = 0; ///< empty if another row follows there
  int File = -1;
  unsigned Line = 0, Column = 0;
};

struct CodeUnit {
  std::vector<std::string> Files; ///< normalised
  std::vector<LineRow> Rows;      ///< by address
  std::vector<CodeScope> Scopes;

  /// Innermost scope at \p Address, -1 if none is known.
  int scopeAt(uint64_t Address) const;
  const LineRow *rowAt(uint64_t Address) const;

  struct Stretch {
    uint64_t Begin, End;
    int Scope;
  };
  std::vector<Stretch> Stretches; ///< innermost scopes, disjoint, by address
};

struct TextSection {
  uint64_t Begin, End;
  const uint8_t *Bytes;
};

class DebugInfo {
public:
  /// Null and \p Error if \p Path cannot be read as ELF. A module without line
  /// tables opens well and has no units.
  static std::unique_ptr<DebugInfo> open(const std::string &Path,
                                         std::string &Error);
  ~DebugInfo();

  const std::string &path() const;
  const std::string &buildId() const; ///< hex, empty if there is none
  bool isX86_64() const;
  const std::vector<TextSection> &text() const;

  /// Names of the source files of unit \p I, read without its rows.
  size_t unitCount() const;
  std::vector<std::string> unitFiles(size_t I) const;
  const CodeUnit &unit(size_t I);
  /// The unit with code at \p Address, null if none.
  const CodeUnit *unitAt(uint64_t Address);

private:
  struct Impl;
  explicit DebugInfo(std::unique_ptr<Impl> I);
  std::unique_ptr<Impl> P;
};

/// Reads only the build id; empty if there is none or no such file.
std::string readBuildId(const std::string &Path);

/// Equal, or the shorter one ends the longer one at a path component.
bool samePath(const std::string &A, const std::string &B);

/// Without `.`, `..` and doubled slashes.
std::string normalPath(const std::string &Path);

} // namespace torchtidy::confirm

#endif // TORCHTIDY_CONFIRM_DEBUGINFO_H

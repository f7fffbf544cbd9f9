//===- SourceLines.h - Lines of source files for reports --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_REPORT_SOURCELINES_H
#define TORCHTIDY_REPORT_SOURCELINES_H

#include <map>
#include <string>
#include <vector>

namespace torchtidy::report {

/// Reads each file once. What cannot be read has no lines: a report may be
/// written where the sources are not.
class SourceLines {
public:
  /// The line without its end; empty if there is none.
  std::string line(const std::string &File, unsigned Line);
  /// Where a byte offset stands; line 0 if the file does not reach it.
  std::pair<unsigned, unsigned> position(const std::string &File,
                                         unsigned Offset);

private:
  const std::string &contents(const std::string &File);

  std::map<std::string, std::string> Files;
};

/// A line as a terminal shows it (tabs as spaces, bytes that are no UTF-8 as
/// '?') and the screen column of a byte column, both from 0.
struct ScreenLine {
  std::string Text;
  unsigned column(unsigned ByteColumn) const;

  static ScreenLine of(const std::string &Line);

private:
  /// Screen column of each byte of the line, and of its end.
  std::vector<unsigned> Columns;
};

} // namespace torchtidy::report

#endif // TORCHTIDY_REPORT_SOURCELINES_H

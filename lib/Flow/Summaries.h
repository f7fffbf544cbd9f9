//===- Summaries.h - What all files of a project do, in a file --*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// What `torchtidy check --summaries` leaves for tools that see one file at a
/// time: an editor, clang-tidy with the plugin.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_SUMMARIES_H
#define TORCHTIDY_FLOW_SUMMARIES_H

#include "Flow/Import.h"
#include "llvm/ADT/ArrayRef.h"

namespace torchtidy::flow {

class Summaries {
public:
  /// The bytes of such a file. \p Each is portable::encode of one file of the
  /// project; \p Whole: there are no others.
  static std::string text(llvm::ArrayRef<llvm::StringRef> Each, bool Whole);
  /// Reads such bytes. Null, and why, if they are anything else.
  static std::shared_ptr<const Summaries> parse(llvm::StringRef Bytes,
                                                std::string &Why);
  /// The contents of a file, read again when it changes. A relative path is
  /// looked for beside \p MainFile and in the folders above. Safe to call from
  /// several threads. Null, and why, if there is none.
  static std::shared_ptr<const Summaries>
  load(llvm::StringRef Path, llvm::StringRef MainFile, std::string &Why);

  /// What a file needs of the others. \p Own is its summary as it is now; an
  /// older one of the same file does not count.
  LinkedFiles neededBy(llvm::StringRef Own) const;

private:
  std::vector<std::shared_ptr<const portable::Module>> Files;
  bool Whole = false;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_SUMMARIES_H

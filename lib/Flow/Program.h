//===- Program.h - All files of a program, linked ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds what each file needs of the others: who calls its functions and what
/// these callers do, whom it calls, and who else changes the members and
/// globals that it changes.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_PROGRAM_H
#define TORCHTIDY_FLOW_PROGRAM_H

#include "Flow/Import.h"
#include "llvm/ADT/StringMap.h"

namespace torchtidy::flow {

class Program {
public:
  /// The order of files decides which of several definitions counts.
  explicit Program(std::vector<std::shared_ptr<const portable::Module>> Files);

  /// Empty if the others change nothing for it.
  LinkedFiles neededBy(const portable::Module &File) const;

private:
  struct FunctionRef {
    uint32_t File = 0, Index = 0;
    bool operator<(const FunctionRef &O) const {
      return std::tie(File, Index) < std::tie(O.File, O.Index);
    }
  };
  using Refs = std::vector<FunctionRef>;
  class Search;

  const portable::Function &function(FunctionRef F) const {
    return Files[F.File]->Functions[F.Index];
  }

  std::vector<std::shared_ptr<const portable::Module>> Files;
  llvm::StringMap<Refs> Definitions, Callers, Overriders, Touching; ///< by USR
  /// Functions of one file, by their declaration there.
  std::vector<llvm::DenseMap<portable::DeclRef, uint32_t>> Local;
  std::vector<llvm::DenseMap<portable::DeclRef, Refs>> LocalCallers;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_PROGRAM_H

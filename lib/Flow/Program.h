//===- Program.h - All files of a project, linked ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
///
/// \file
/// Finds what each file needs of the others: who calls its functions and what
/// these callers do, whom it calls, and who else knows the members and globals
/// that it changes. A function that several files define in different ways
/// belongs to several programs and is not linked.
///
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_FLOW_PROGRAM_H
#define TORCHTIDY_FLOW_PROGRAM_H

#include "Flow/Import.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace torchtidy::flow {

class Program {
public:
  /// Of a function that several files define alike, as in a header, the first
  /// is judged with callers from all of them.
  /// \p Whole: they are all files of the project.
  Program(std::vector<std::shared_ptr<const portable::Module>> Files,
          bool Whole);

  LinkedFiles neededBy(const portable::Module &File) const;

private:
  struct FunctionRef {
    uint32_t File = 0, Index = 0;
    bool operator<(const FunctionRef &O) const {
      return std::tie(File, Index) < std::tie(O.File, O.Index);
    }
    bool operator==(const FunctionRef &O) const {
      return File == O.File && Index == O.Index;
    }
  };
  using Refs = std::vector<FunctionRef>;
  class Search;

  const portable::Function &function(FunctionRef F) const {
    return Files[F.File]->Functions[F.Index];
  }
  const std::string &id(FunctionRef F) const;
  void index(FunctionRef F);
  void dropAmbiguous();
  void findIdle();
  bool isIdle(FunctionRef F) const { return Idle[F.File][F.Index]; }
  /// What a call of \p Callee in a file may run.
  void targets(uint32_t File, portable::DeclRef Callee, Refs &Out) const;

  std::vector<std::shared_ptr<const portable::Module>> Files;
  const bool Whole;
  llvm::StringMap<Refs> Definitions, Callers, Overriders, Mentioning; ///< by id
  llvm::StringSet<> Ambiguous;
  /// Functions of one file, by their declaration there.
  std::vector<llvm::DenseMap<portable::DeclRef, uint32_t>> Local;
  std::vector<llvm::DenseMap<portable::DeclRef, Refs>> LocalCallers;
  /// Neither they nor what they call do anything that facts tell of, and no
  /// tensor passes through them.
  std::vector<std::vector<bool>> Idle;
};

} // namespace torchtidy::flow

#endif // TORCHTIDY_FLOW_PROGRAM_H

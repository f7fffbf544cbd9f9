//===- TidyArguments.cpp - clang-tidy's arguments with our headers --------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TidyArguments.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"

using namespace torchtidy;

std::vector<const char *> tools::withResourceDirectory(int Argc,
                                                       const char **Argv) {
  std::vector<const char *> Args(Argv, Argv + Argc);
  const bool Own = llvm::any_of(llvm::drop_begin(Args), [](llvm::StringRef A) {
    return A.contains("-resource-dir");
  });
  // First, since what stands behind -- belongs to the compiler.
  if (!Own && llvm::sys::fs::exists(TORCHTIDY_RESOURCE_DIR))
    Args.insert(Args.begin() + 1,
                "--extra-arg-before=-resource-dir=" TORCHTIDY_RESOURCE_DIR);
  Args.push_back(nullptr);
  return Args;
}

//===- ClangdMain.cpp - clangd with the checks ----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>

// clangd's headers are not installed; its library is.
namespace clang::clangd {
int clangdMain(int Argc, char *Argv[]);
} // namespace clang::clangd

/// clangd searches clang's headers beside itself, and we stand elsewhere.
static bool namesResourceDirectory(int Argc, char **Argv) {
  // clangd takes arguments from here as well, and the option only once.
  const char *Environment = std::getenv("CLANGD_FLAGS");
  if (Environment && llvm::StringRef(Environment).contains("resource-dir"))
    return true;
  return llvm::any_of(llvm::ArrayRef(Argv, Argc), [](llvm::StringRef A) {
    return A.starts_with("-resource-dir") || A.starts_with("--resource-dir");
  });
}

int main(int Argc, char **Argv) {
  static char ResourceDirectory[] = "--resource-dir=" TORCHTIDY_RESOURCE_DIR;
  std::vector<char *> Args(Argv, Argv + Argc);
  if (!namesResourceDirectory(Argc, Argv) &&
      llvm::sys::fs::exists(TORCHTIDY_RESOURCE_DIR))
    Args.insert(Args.begin() + 1, ResourceDirectory);
  const int Count = static_cast<int>(Args.size());
  Args.push_back(nullptr);
  return clang::clangd::clangdMain(Count, Args.data());
}

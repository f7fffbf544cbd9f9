//===- ClangTidyMain.cpp - clang-tidy with the checks ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "clang-tidy/tool/ClangTidyMain.h"
#include "TidyArguments.h"

int main(int Argc, const char **Argv) {
  auto Args = torchtidy::tools::withResourceDirectory(Argc, Argv);
  return clang::tidy::clangTidyMain(static_cast<int>(Args.size()) - 1,
                                    Args.data());
}

//===- ClangTidyMain.cpp - clang-tidy with the checks ---------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "clang-tidy/tool/ClangTidyMain.h"

int main(int Argc, const char **Argv) {
  return clang::tidy::clangTidyMain(Argc, Argv);
}

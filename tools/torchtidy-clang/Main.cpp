//===- Main.cpp - The commands that need LLVM -----------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckMain.h"
#include "TidyArguments.h"
#include "clang-tidy/tool/ClangTidyMain.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace torchtidy;

int main(int Argc, const char **Argv) {
  // Else the first file that is opened would take the place of a closed one.
  (void)llvm::sys::Process::FixupStandardFileDescriptors();
  const llvm::StringRef Command = Argc > 1 ? Argv[1] : "";
  if (Command == "check")
    return tools::checkMain({Argv + 2, Argv + Argc});
  if (Command == "tidy") {
    Argv[1] = "torchtidy tidy";
    auto Args = tools::withResourceDirectory(Argc - 1, Argv + 1);
    return clang::tidy::clangTidyMain(static_cast<int>(Args.size()) - 1,
                                      Args.data());
  }
  llvm::errs() << "torchtidy-clang is started by torchtidy; see 'torchtidy "
                  "--help'\n";
  return 2;
}

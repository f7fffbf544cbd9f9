//===- Main.cpp - The torchtidy command -----------------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClangTool.h"
#include "Commands.h"
#include <iostream>

using namespace torchtidy::tools;

namespace {

constexpr char Help[] =
    R"(torchtidy finds memory and gradient-mode mistakes in LibTorch (PyTorch C++)
programs, and proves or withdraws each finding on a real run.

usage: torchtidy COMMAND [ARGS...]

  check      findings of a project, from its compile_commands.json
  run        record a run of an unmodified program
  confirm    check, run, and a verdict with figures for each finding
  tidy       clang-tidy with the torch checks inside
  clangd     clangd with the torch checks inside

  torchtidy COMMAND --help    the options of one command
  torchtidy --version

A first run:

  cmake -S . -B build -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
  torchtidy check -p build
  torchtidy confirm -p build -- build/train --epochs 2
)";

int dispatch(const std::string &Command, std::vector<std::string> Args) {
  // As in git: `help check` is `check --help`.
  if (Command == "help" && !Args.empty() && Args[0] != "help")
    return dispatch(Args[0], {"--help"});
  if (Command == "--help" || Command == "-h" || Command == "help") {
    std::cout << Help;
    return 0;
  }
  if (Command == "--version" || Command == "version") {
    std::cout << "torchtidy " TORCHTIDY_VERSION "\n";
    return 0;
  }
  if (Command == "check" || Command == "tidy" || Command == "clangd")
    return execClangTool(Command, Args);
  if (Command == "run")
    return runMain(std::move(Args));
  if (Command == "confirm")
    return confirmMain(std::move(Args));
  std::cerr << "torchtidy: '" << Command
            << "' is not a command; see 'torchtidy --help'\n";
  return 2;
}

} // namespace

int main(int Argc, char **Argv) {
  if (Argc < 2) {
    std::cerr << Help;
    return 2;
  }
  return dispatch(Argv[1], {Argv + 2, Argv + Argc});
}

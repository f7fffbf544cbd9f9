//===- NotBuilt.cpp - Stands in for commands that are missing -------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include <iostream>

using namespace torchtidy;

static int notBuilt(const char *Name) {
  std::cerr << "torchtidy: '" << Name << "' is not built in\n";
  return 2;
}

// Weak: the real entry, once its file is in the build, takes over.
__attribute__((weak)) int tools::runMain(std::vector<std::string>) {
  return notBuilt("run");
}
__attribute__((weak)) int tools::confirmMain(std::vector<std::string>) {
  return notBuilt("confirm");
}

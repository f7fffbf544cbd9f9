//===- CheckGlobs.cpp - When the torch checks run -------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "checks/CheckGlobs.h"
#include "llvm/ADT/StringExtras.h"

std::string torchtidy::checks::torchGlobs(llvm::StringRef Configured) {
  std::string Globs = "torch-*";
  llvm::SmallVector<llvm::StringRef, 16> Parts;
  llvm::SplitString(Configured, Parts, ",\n");
  for (llvm::StringRef P : Parts)
    if (P.contains("torch"))
      Globs += "," + P.trim().str();
  return Globs;
}

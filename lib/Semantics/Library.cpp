//===- Library.cpp - What is not the user's code --------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Types.h"

using namespace clang;
using namespace torchtidy::semantics;

bool torchtidy::semantics::isLibTorchFile(StringRef Path) {
  for (StringRef Room :
       {"/ATen/", "/c10/", "/torch/csrc/", "/torch/headeronly/", "/caffe2/"})
    if (Path.contains(Room))
      return true;
  return Path.ends_with("/torch/script.h") ||
         Path.ends_with("/torch/extension.h") ||
         Path.ends_with("/torch/library.h") ||
         Path.ends_with("/torch/torch.h") ||
         Path.ends_with("/torch/custom_class.h") ||
         Path.ends_with("/torch/custom_class_detail.h");
}

bool Types::isLibrary(SourceLocation Loc) const {
  if (Loc.isInvalid())
    return true;
  const SourceManager &SM = Context.getSourceManager();
  Loc = SM.getExpansionLoc(Loc);
  if (SM.isInSystemHeader(Loc))
    return true;
  const FileID File = SM.getFileID(Loc);
  auto [It, New] = LibraryFiles.try_emplace(File, false);
  if (New)
    It->second = isLibTorchFile(SM.getFilename(Loc));
  return It->second;
}

bool Types::isLibrary(const Decl *D) const {
  return isLibrary(D->getLocation());
}

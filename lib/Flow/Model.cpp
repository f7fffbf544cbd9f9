//===- Model.cpp - What the analysis knows of one file --------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Model.h"

using namespace torchtidy::flow;

std::shared_ptr<const Model> Model::of(clang::ASTContext &, const Options &) {
  return std::make_shared<Model>();
}

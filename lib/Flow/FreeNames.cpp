//===- FreeNames.cpp - Names for variables that a fix adds ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/FreeNames.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;
using namespace torchtidy::flow;

std::string FreeNames::take(const std::string &Base) {
  std::string Name = Base;
  for (unsigned I = 2; !Names.insert(Name).second; ++I)
    Name = Base + std::to_string(I);
  return Name;
}

void FreeNames::collect(const Stmt *S) {
  if (!S)
    return;
  auto Add = [&](const NamedDecl *D) {
    if (D->getIdentifier())
      Names.insert(D->getName().str());
  };
  if (const auto *R = dyn_cast<DeclRefExpr>(S))
    Add(R->getDecl());
  else if (const auto *M = dyn_cast<MemberExpr>(S))
    Add(M->getMemberDecl());
  else if (const auto *D = dyn_cast<DeclStmt>(S))
    for (const Decl *Y : D->decls())
      if (const auto *N = dyn_cast<NamedDecl>(Y))
        Add(N);
  for (const Stmt *C : S->children())
    collect(C);
}

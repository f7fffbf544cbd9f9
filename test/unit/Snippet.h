//===- Snippet.h - Parses snippets for unit tests ---------------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TEST_UNIT_SNIPPET_H
#define TORCHTIDY_TEST_UNIT_SNIPPET_H

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include <gtest/gtest.h>

namespace torchtidy::test {

/// Parses a snippet against the mock LibTorch headers.
inline std::unique_ptr<clang::ASTUnit> parse(const std::string &Code) {
  const std::string Mock = std::string(TORCHTIDY_TEST_INPUTS) + "/mock";
  auto Unit = clang::tooling::buildASTFromCodeWithArgs(
      "#include <torch/torch.h>\n#include <torch/script.h>\n"
      "#include <deque>\n#include <map>\n#include <thread>\n"
      "#include <vector>\n#line 1\n" +
          Code,
      {"-std=c++17", "-isystem", Mock, "-w", "-resource-dir",
       TORCHTIDY_RESOURCE_DIR},
      "snippet.cpp");
  EXPECT_TRUE(Unit);
  if (Unit) {
    EXPECT_FALSE(Unit->getDiagnostics().hasErrorOccurred()) << Code;
  }
  return Unit;
}

/// The first node of a kind that satisfies a predicate, in the main file.
template <class Node, class Predicate>
const Node *find(clang::ASTContext &Context, Predicate Wanted) {
  struct Visitor : clang::RecursiveASTVisitor<Visitor> {
    Predicate Wanted;
    const clang::SourceManager &SM;
    const Node *Found = nullptr;
    Visitor(Predicate W, const clang::SourceManager &SM)
        : Wanted(std::move(W)), SM(SM) {}
    bool shouldVisitTemplateInstantiations() const { return true; }
    bool check(const Node *N, clang::SourceLocation L) {
      if (!Found && SM.isInMainFile(SM.getExpansionLoc(L)) && Wanted(*N))
        Found = N;
      return true;
    }
    bool VisitStmt(clang::Stmt *S) {
      if constexpr (std::is_base_of_v<clang::Stmt, Node>)
        if (auto *N = llvm::dyn_cast<Node>(S))
          check(N, N->getBeginLoc());
      return true;
    }
    bool VisitDecl(clang::Decl *D) {
      if constexpr (std::is_base_of_v<clang::Decl, Node>)
        if (auto *N = llvm::dyn_cast<Node>(D))
          check(N, N->getLocation());
      return true;
    }
  };
  Visitor V(std::move(Wanted), Context.getSourceManager());
  V.TraverseAST(Context);
  return V.Found;
}

template <class Node>
const Node *named(clang::ASTContext &Context, const std::string &Name) {
  return find<Node>(Context,
                    [&](const Node &N) { return N.getNameAsString() == Name; });
}

} // namespace torchtidy::test

#endif // TORCHTIDY_TEST_UNIT_SNIPPET_H

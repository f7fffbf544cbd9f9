//===- CallSnippet.h - One call of a snippet, classified --------*- C++ -*-===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TORCHTIDY_TEST_UNIT_CALLSNIPPET_H
#define TORCHTIDY_TEST_UNIT_CALLSNIPPET_H

#include "Semantics/Calls.h"
#include "Snippet.h"

namespace torchtidy::test {

struct CallSnippet : testing::Test {
  /// The calls that the statements of a function are.
  std::vector<semantics::Call> calls(const std::string &Parameters,
                                     const std::vector<std::string> &Bodies,
                                     const std::string &Before = "") {
    std::string Text;
    for (const std::string &Body : Bodies)
      Text += Body + "; ";
    Unit = parse(Before + "\nvoid f(" + Parameters + ") { " + Text + "}");
    clang::ASTContext &C = Unit->getASTContext();
    T.emplace(C, std::vector<std::string>());
    const auto *F = named<clang::FunctionDecl>(C, "f");
    std::vector<semantics::Call> Result;
    for (const clang::Stmt *S : F->getBody()->children())
      if (const auto *E = llvm::dyn_cast<clang::Expr>(S))
        Result.push_back(classify(E->IgnoreUnlessSpelledInSource(), *T, Names));
    return Result;
  }
  /// The last statement must be the call.
  semantics::Call last(const std::string &Parameters, const std::string &Body,
                       const std::string &Before = "") {
    return calls(Parameters, {Body}, Before).back();
  }
  semantics::CallKind kind(const std::string &Parameters,
                           const std::string &Body,
                           const std::string &Before = "") {
    return last(Parameters, Body, Before).Kind;
  }
  std::unique_ptr<clang::ASTUnit> Unit;
  std::optional<semantics::Types> T;
  semantics::CallNames Names;
};

} // namespace torchtidy::test

#endif // TORCHTIDY_TEST_UNIT_CALLSNIPPET_H

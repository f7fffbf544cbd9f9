//===- FlowStateTest.cpp - Ways of state, windows of steps ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Analysis.h"
#include "Flow/Model.h"
#include "Flow/Transfer.h"
#include "Flow/Windows.h"
#include "Snippet.h"

using namespace clang;
using namespace torchtidy::flow;
using torchtidy::test::named;

namespace {

struct FlowStateTest : testing::Test {
  void code(const std::string &Text) {
    Unit = torchtidy::test::parse(Text);
    A = std::make_unique<Analysis>(Unit->getASTContext(), Options());
    A->run();
  }
  const FunctionFacts &facts(const std::string &Name) {
    return *A->known(named<FunctionDecl>(Unit->getASTContext(), Name));
  }
  /// Does variable \p Name reach what the last store of `f` stores?
  bool feeds(const std::string &Name) {
    const Event *Last = nullptr;
    for (const Event &E : facts("f").Events)
      if (E.K == Event::Store)
        Last = &E;
    EXPECT_TRUE(Last);
    return Last && A->Flow.feeds(FlowNode::of(named<VarDecl>(
                                     Unit->getASTContext(), Name)),
                                 FlowNode::of(skipNoise(Last->Stored)), {},
                                 [](const Expr *) { return true; });
  }
  std::unique_ptr<ASTUnit> Unit;
  std::unique_ptr<Analysis> A;
};

TEST_F(FlowStateTest, StateGoesThroughForwards) {
  code("void f(torch::nn::GRUCell &c, torch::Tensor x) {"
       " torch::Tensor state; state = c(x, state); }");
  EXPECT_TRUE(feeds("state"));
  code("void f(torch::nn::GRUCell &c, torch::Tensor x) {"
       " torch::Tensor state; state = c(x, state.detach()); }");
  EXPECT_FALSE(feeds("state"));
}

TEST_F(FlowStateTest, ABodySaysMoreThanTheCall) {
  const std::string Use = "void f(M &m, torch::Tensor x) { torch::Tensor state;"
                          " state = m.forward(x, state); }";
  code("struct M : torch::nn::Module { torch::nn::GRUCell c{8, 8};"
       " torch::Tensor forward(torch::Tensor x, torch::Tensor h)"
       " { return c(x, h.detach()); } };" +
       Use);
  EXPECT_FALSE(feeds("state"));
  code("struct M : torch::nn::Module { torch::nn::GRUCell c{8, 8};"
       " torch::Tensor forward(torch::Tensor x, torch::Tensor h)"
       " { return c(x, h); } };" +
       Use);
  EXPECT_TRUE(feeds("state"));
}

TEST_F(FlowStateTest, CallsAreKeptApart) {
  code("torch::Tensor g(torch::nn::GRUCell &c, torch::Tensor h)"
       " { return c(h, h); }"
       "void f(torch::nn::GRUCell &c, torch::Tensor x) {"
       " torch::Tensor state, other; other = g(c, state); state = g(c, x); }");
  EXPECT_FALSE(feeds("state"));
  EXPECT_TRUE(feeds("x"));
}

TEST_F(FlowStateTest, WhatIsNotDefinedHasNoHistory) {
  code("void f(torch::nn::GRUCell &c, torch::Tensor x) { torch::Tensor state;"
       " state = c(x, state.defined() ? state.detach() : state); }");
  EXPECT_FALSE(feeds("state"));
  code("void f(torch::nn::GRUCell &c, torch::Tensor x) { torch::Tensor state;"
       " state = c(x, x.defined() ? state.detach() : state); }");
  EXPECT_TRUE(feeds("state"));
}

TEST_F(FlowStateTest, ConditionsThatRecur) {
  code("bool f(int i, int k, int n) { bool last = (i + 1) % k == 0;"
       " if (last) return true; if (i & 3) return true; if (n > k) return true;"
       " return false; }");
  const WindowCondition Window(*A);
  std::vector<bool> Recurs;
  for (const Stmt *S : facts("f").F->getBody()->children())
    if (const auto *If = dyn_cast<IfStmt>(S))
      Recurs.push_back(Window.recurs(If->getCond()));
  EXPECT_EQ(Recurs, (std::vector<bool>{true, true, false}));
}

TEST_F(FlowStateTest, EventsBelowACall) {
  code("void g(torch::Tensor l) { l.backward(); }"
       "void f(torch::Tensor l) { g(l); for (;;) { g(l); l.backward(); } }");
  const Happenings Calls(*A);
  const auto Found = Calls.below(facts("f"), nullptr, Event::Backward);
  ASSERT_EQ(Found.size(), 3u);
  const Stmt *Loop = nullptr;
  for (const Stmt *S : facts("f").F->getBody()->children())
    if (isLoop(S))
      Loop = S;
  EXPECT_EQ(Calls.below(facts("f"), Loop, Event::Backward).size(), 2u);
}

} // namespace

//===- FlowModelTest.cpp - Modes, summaries and value flow ----------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Analysis.h"
#include "Flow/Judge.h"
#include "Flow/Model.h"
#include "Snippet.h"

using namespace clang;
using namespace torchtidy::flow;
using torchtidy::test::named;

namespace {

const char *Net =
    "struct Net : torch::nn::Module { torch::nn::Linear l{nullptr};"
    " torch::Tensor forward(torch::Tensor x) { return l->forward(x); } };\n";

struct FlowModelTest : testing::Test {
  void code(const std::string &Text) {
    Unit = torchtidy::test::parse(Net + Text);
    A = std::make_unique<Analysis>(Unit->getASTContext(), Options());
    A->run();
  }
  const FunctionFacts &facts(const std::string &Name) {
    const auto *F = named<FunctionDecl>(Unit->getASTContext(), Name);
    EXPECT_TRUE(F);
    const FunctionFacts *X = A->known(F);
    EXPECT_TRUE(X);
    return *X;
  }
  /// The grad mode at the first event of a kind.
  Mode modeAt(const std::string &Function, Event::Kind K) {
    for (const Event &E : facts(Function).Events)
      if (E.K == K)
        return E.Grad;
    ADD_FAILURE() << "no such event in " << Function;
    return {};
  }
  std::unique_ptr<ASTUnit> Unit;
  std::unique_ptr<Analysis> A;
};

TEST_F(FlowModelTest, AGuardEndsWithItsScope) {
  code("void f(Net &n, torch::Tensor x) { { torch::NoGradGuard g; }"
       " n.forward(x); }"
       "void g(Net &n, torch::Tensor x) { torch::NoGradGuard g; n.forward(x); }"
       "void h(Net &n, torch::Tensor x) { torch::NoGradGuard(); n.forward(x); "
       "}");
  EXPECT_TRUE(modeAt("f", Event::Forward).is(Mode::Entry));
  EXPECT_TRUE(modeAt("g", Event::Forward).is(Mode::Off));
  EXPECT_TRUE(modeAt("h", Event::Forward).is(Mode::Entry));
}

TEST_F(FlowModelTest, AutoGradModeInsideGuards) {
  code("void f(Net &n, torch::Tensor x) { torch::NoGradGuard g;"
       " torch::AutoGradMode on(true); n.forward(x); }"
       "void g(Net &n, torch::Tensor x) { c10::InferenceMode g;"
       " torch::AutoGradMode on(true); n.forward(x); }"
       "void h(Net &n, torch::Tensor x) { c10::InferenceMode g;"
       " c10::InferenceMode off(false); n.forward(x); }"
       "void k(Net &n, torch::Tensor x, bool b) { torch::AutoGradMode m(b);"
       " n.forward(x); }");
  EXPECT_TRUE(modeAt("f", Event::Forward).is(Mode::On));
  EXPECT_TRUE(modeAt("g", Event::Forward).is(Mode::Inference));
  EXPECT_TRUE(modeAt("h", Event::Forward).is(Mode::On));
  EXPECT_TRUE(modeAt("k", Event::Forward).is(Mode::Unknown));
}

TEST_F(FlowModelTest, SavedModeIsRestored) {
  code("void f(Net &n, torch::Tensor x) {"
       " bool before = torch::autograd::GradMode::is_enabled();"
       " torch::autograd::GradMode::set_enabled(false);"
       " torch::autograd::GradMode::set_enabled(before); n.forward(x); }");
  EXPECT_TRUE(modeAt("f", Event::Forward).is(Mode::Entry));
}

TEST_F(FlowModelTest, GuardsEndInHandlers) {
  code("void f(Net &n, torch::Tensor x) {"
       " try { torch::NoGradGuard g; n.l->forward(x); throw 1; }"
       " catch (...) { n.forward(x); } }");
  // The handler may be reached from inside the guard's scope as far as the
  // states of the try block go: never "certainly on".
  EXPECT_FALSE(facts("f").Events.empty());
  for (const Event &E : facts("f").Events)
    if (E.K == Event::Forward) {
      EXPECT_FALSE(E.Grad.is(Mode::On));
    }
}

TEST_F(FlowModelTest, SummariesAreParametric) {
  code("torch::Tensor twice(torch::Tensor t) { return t * 2; }"
       "torch::Tensor cut(torch::Tensor t) { return t.detach(); }"
       "torch::Tensor out(Net &n, torch::Tensor t) { return n.forward(t); }");
  EXPECT_TRUE(facts("twice").Returned.H.has(Atom::Entry));
  EXPECT_TRUE(facts("cut").Returned.H.onlyNone());
  EXPECT_TRUE(facts("out").Returned.H.has(Atom::Live));
}

TEST_F(FlowModelTest, WritesThroughReferences) {
  code("void put(torch::Tensor &to, torch::Tensor from) { to = from.detach(); }"
       "void f(Net &n, torch::Tensor x) { auto y = n.forward(x); put(y, y);"
       " std::vector<torch::Tensor> v; v.push_back(y); }");
  for (const Event &E : facts("f").Events)
    if (E.K == Event::Store) {
      EXPECT_TRUE(E.H.onlyNone());
    }
}

TEST_F(FlowModelTest, OutputsOfOneOperatorDiffer) {
  code("void f(Net &n, torch::Tensor x) { std::vector<torch::Tensor> v;"
       " auto [value, index] = n.forward(x).max(1); v.push_back(index);"
       " v.push_back(value); }");
  std::vector<bool> Live;
  for (const Event &E : facts("f").Events)
    if (E.K == Event::Store)
      Live.push_back(E.H.has(Atom::Live));
  // Under the entry mode both are symbolic; the index never has history.
  ASSERT_EQ(Live.size(), 2u);
  EXPECT_FALSE(Live[0]);
  EXPECT_TRUE(Live[1]);
}

TEST_F(FlowModelTest, ValuesReachBackward) {
  code("void f(Net &n, torch::Tensor x) { auto l = n.forward(x).sum();"
       " l.backward(); }"
       "void g(Net &n, torch::Tensor x) { auto l = n.forward(x).sum();"
       " l.detach().backward(); }"
       "void show(const torch::Tensor &); void h(Net &n, torch::Tensor x) {"
       " show(n.forward(x)); }");
  auto Reached = [&](const char *Name) {
    for (const Event &E : facts(Name).Events)
      if (E.K == Event::Forward)
        return A->Flow.reach(FlowNode::of(E.E), {});
    return Reach();
  };
  EXPECT_TRUE(Reached("f").Backward);
  EXPECT_FALSE(Reached("g").Backward);
  EXPECT_TRUE(Reached("g").DataBackward);
  EXPECT_TRUE(Reached("h").OpaqueCall);
}

TEST_F(FlowModelTest, CallsReturnToTheirCaller) {
  code("static torch::Tensor run(Net &n, torch::Tensor x) {"
       " return n.forward(x); }"
       "void train(Net &n, torch::Tensor x) { run(n, x).sum().backward(); }"
       "float test(Net &n, torch::Tensor x) {"
       " return run(n, x).sum().item<float>(); }");
  const Chains C(*A);
  const auto Found = judgeGuards(*A, C);
  ASSERT_EQ(Found.size(), 1u);
  // Training needs the forward: the guard belongs to the other call.
  EXPECT_EQ(Found[0].Function->getName(), "test");
  EXPECT_NE(Found[0].At, Found[0].Forward->E);
  EXPECT_TRUE(Found[0].Calls.empty());
}

TEST_F(FlowModelTest, ChecksOfOneFileShareTheModel) {
  Unit = torchtidy::test::parse("void f() {}");
  auto One = Model::of(Unit->getASTContext(), Options());
  EXPECT_EQ(One, Model::of(Unit->getASTContext(), Options()));
  Options Other;
  Other.GuardTypes = {"X"};
  EXPECT_NE(One, Model::of(Unit->getASTContext(), Other));
}

TEST_F(FlowModelTest, RecursionEndsInUnknown) {
  code("torch::Tensor f(torch::Tensor x, int n) {"
       " return n ? f(x, n - 1) : x; }");
  EXPECT_TRUE(facts("f").Returned.H.has(Atom::Unknown));
}

TEST_F(FlowModelTest, WhatHoldsTheResultOfTheLastRound) {
  code("void f(Net &n, torch::Tensor x) { torch::Tensor out, cut, inner, gone;"
       " for (int i = 0; i < 9; ++i) { torch::Tensor fresh;"
       " gone = torch::Tensor(); out = n.forward(x); cut = out.detach();"
       " fresh = out; gone = out; inner = out + 1; } }");
  std::vector<std::string> Names;
  for (const Event &E : facts("f").Events)
    if (E.K == Event::Forward)
      for (const Storage &S : E.Holders)
        Names.push_back(S.name());
  llvm::sort(Names);
  EXPECT_EQ(Names, (std::vector<std::string>{"inner", "out"}));
}

} // namespace

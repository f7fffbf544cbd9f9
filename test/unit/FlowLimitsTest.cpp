//===- FlowLimitsTest.cpp - What lies beyond a limit is said --------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/Model.h"
#include "Snippet.h"
#include <gmock/gmock.h>

using namespace clang;
using namespace torchtidy::flow;

namespace {

struct FlowLimitsTest : testing::Test {
  const Model &code(const std::string &Text, const Options &Opts = {}) {
    Unit = torchtidy::test::parse(
        "torch::nn::Linear net(2, 1);\n"
        "std::vector<torch::Tensor> kept;\n"
        "float evaluate(torch::Tensor x) {"
        " return net->forward(x).max().item<float>(); }\n" +
        Text);
    M = std::make_unique<Model>(Unit->getASTContext(), Opts);
    return *M;
  }
  /// `FUNCTION: reason` for all that was not judged.
  std::vector<std::string> skipped() const {
    std::vector<std::string> All;
    for (const auto &[F, Reason] : M->skipped())
      All.push_back(F->getNameAsString() + ": " + Reason);
    return All;
  }
  std::unique_ptr<ASTUnit> Unit;
  std::unique_ptr<Model> M;
};

/// \p Count callers of evaluate, of which only the last has no guard.
std::string callers(unsigned Count) {
  std::string Text;
  for (unsigned I = 1; I <= Count; ++I)
    Text += "void caller" + std::to_string(I) + "(torch::Tensor x) { " +
            (I < Count ? "torch::NoGradGuard guard; " : "") +
            "evaluate(x); }\n";
  return Text;
}

TEST_F(FlowLimitsTest, SixtyFourWaysToCallAreAllJudged) {
  EXPECT_EQ(code(callers(64)).unguarded().size(), 1u);
  EXPECT_EQ(skipped(), std::vector<std::string>());
}

TEST_F(FlowLimitsTest, MoreWaysAreSaid) {
  EXPECT_EQ(code(callers(65)).unguarded().size(), 0u);
  EXPECT_EQ(skipped(),
            std::vector<std::string>{"evaluate: there are more than 64 ways to "
                                     "call it; the others were not judged"});
}

/// evaluate, called through \p Depth functions; the outermost may hold a guard.
std::string nested(unsigned Depth, bool Guard) {
  std::string Text, Inner = "evaluate";
  for (unsigned I = 1; I <= Depth; ++I) {
    const std::string Name = "level" + std::to_string(I);
    Text += "void " + Name + "(torch::Tensor x) { " +
            (I == Depth && Guard ? "torch::NoGradGuard guard; " : "") + Inner +
            "(x); }\n";
    Inner = Name;
  }
  return Text;
}

TEST_F(FlowLimitsTest, TenCallsDeepAreJudged) {
  EXPECT_EQ(code(nested(10, false)).unguarded().size(), 1u);
  EXPECT_EQ(skipped(), std::vector<std::string>());
  EXPECT_EQ(code(nested(10, true)).unguarded().size(), 0u);
  EXPECT_EQ(skipped(), std::vector<std::string>());
}

TEST_F(FlowLimitsTest, DeeperCallsAreSaidAndNotGuessed) {
  const std::vector<std::string> Said{
      "evaluate: calls more than 10 deep lead to it; these were not judged"};
  EXPECT_EQ(code(nested(11, true)).unguarded().size(), 0u);
  EXPECT_EQ(skipped(), Said);
  EXPECT_EQ(code(nested(11, false)).unguarded().size(), 0u);
  EXPECT_EQ(skipped(), Said);
}

TEST_F(FlowLimitsTest, ManyDeepCallsEndToo) {
  // Eight ways to each of 14 levels: more than can be walked.
  std::string Text, Inner = "evaluate(x);";
  for (unsigned I = 1; I <= 14; ++I) {
    const std::string Name = "level" + std::to_string(I);
    std::string Calls;
    for (unsigned K = 0; K < 8; ++K)
      Calls += Inner;
    Text += "void " + Name + "(torch::Tensor x) { " + Calls + " }\n";
    Inner = Name + "(x);";
  }
  code(Text);
  EXPECT_EQ(skipped().size(), 1u); // one line for each function
}

const char *goesTooFar =
    "train: what it computes goes further than could be followed";

/// A kept loss that reaches its backward through \p Depth calls.
std::string backwardBelow(unsigned Depth) {
  std::string Text = "void down0(torch::Tensor t) { t.backward(); }\n";
  for (unsigned I = 1; I < Depth; ++I)
    Text += "void down" + std::to_string(I) + "(torch::Tensor t) { down" +
            std::to_string(I - 1) + "(t); }\n";
  return Text +
         "void train(torch::Tensor x) { std::vector<torch::Tensor> losses;"
         " for (int i = 0; i < 100; ++i)"
         " losses.push_back(net->forward(x).mean());"
         " for (auto &l : losses) down" +
         std::to_string(Depth - 1) + "(l); }";
}

TEST_F(FlowLimitsTest, ValuesAreFollowedTwelveCallsDown) {
  EXPECT_EQ(code(backwardBelow(12)).retained().size(), 0u);
  EXPECT_THAT(skipped(), testing::Not(testing::Contains(goesTooFar)));
}

TEST_F(FlowLimitsTest, ValuesThatGoFurtherAreNotCalledKept) {
  EXPECT_EQ(code(backwardBelow(13)).retained().size(), 0u);
  EXPECT_THAT(skipped(), testing::Contains(goesTooFar));
}

TEST_F(FlowLimitsTest, RecursionIsNoDepth) {
  const std::string Shrink =
      "torch::Tensor shrink(torch::Tensor t, int n) {"
      " return n ? shrink(t * 0.5, n - 1) : t; }"
      "void train(torch::Tensor x) { std::vector<torch::Tensor> losses;"
      " for (int i = 0; i < 100; ++i) losses.push_back(net->forward(x).mean());"
      " for (auto &l : losses) shrink(l, 3)";
  EXPECT_EQ(code(Shrink + ".backward(); }").retained().size(), 0u);
  EXPECT_EQ(skipped(), std::vector<std::string>());
  EXPECT_EQ(code(Shrink + ".item<float>(); }").retained().size(), 1u);
  EXPECT_EQ(skipped(), std::vector<std::string>());
}

//===-- Functions that are too large --------------------------------------===//

const char *Branches = "if (n) n++; if (n) n++; if (n) n++; if (n) n++; ";

Options fewBlocks() {
  Options Small;
  Small.MaxBlocks = 8;
  return Small;
}

TEST_F(FlowLimitsTest, LargeFunctionsAreNamed) {
  code(std::string("void large(int n) { ") + Branches + "}", fewBlocks());
  ASSERT_EQ(skipped().size(), 1u);
  EXPECT_EQ(skipped()[0].find("large: it has "), 0u);
  EXPECT_NE(skipped()[0].find("MaxBlocks"), std::string::npos);
  code(std::string("void large(int n) { ") + Branches + "}");
  EXPECT_EQ(skipped(), std::vector<std::string>());
}

TEST_F(FlowLimitsTest, WhatALargeFunctionCallsIsNotAssumedUnguarded) {
  const std::string Text =
      std::string("void large(torch::Tensor x, int n) { ") + Branches +
      " torch::NoGradGuard g; evaluate(x); }";
  EXPECT_EQ(code(Text, fewBlocks()).unguarded().size(), 0u);
  EXPECT_EQ(code("void large(torch::Tensor x) { evaluate(x); }", fewBlocks())
                .unguarded()
                .size(),
            1u);
}

TEST_F(FlowLimitsTest, WhatALargeFunctionGetsMayBeUsedThere) {
  auto Program = [](const std::string &Body) {
    return "void large(std::vector<torch::Tensor> &v, int n) { " + Body +
           " for (auto &t : v) t.backward(); }"
           "void train(torch::Tensor x, int n) {"
           " std::vector<torch::Tensor> losses; for (int i = 0; i < n; ++i)"
           " losses.push_back(net->forward(x).mean()); large(losses, n); }";
  };
  EXPECT_EQ(code(Program(Branches), fewBlocks()).retained().size(), 0u);
  EXPECT_EQ(skipped().size(), 1u);
}

TEST_F(FlowLimitsTest, WhatALargeFunctionMentionsMayBeEmptiedThere) {
  auto Program = [](const std::string &Body) {
    return "void log(torch::Tensor x) { kept.push_back(net->forward(x)); }"
           "void large(int n) { " +
           Body + " }";
  };
  EXPECT_EQ(code(Program(std::string(Branches) + "kept.clear();"), fewBlocks())
                .retained()
                .size(),
            0u);
  EXPECT_EQ(code(Program(Branches), fewBlocks()).retained().size(), 1u);
}

} // namespace

//===- SemanticsQuestionsTest.cpp - Named questions about calls -----------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSnippet.h"
#include "Semantics/Losses.h"
#include "Semantics/Questions.h"

using namespace clang;
using namespace torchtidy::semantics;
using torchtidy::test::named;

namespace {

/// The answers to one question about many calls; one parse, for speed.
struct QuestionsTest : torchtidy::test::CallSnippet {
  template <class Question>
  auto answers(Question Q, const std::string &Parameters,
               const std::vector<std::string> &Bodies,
               const std::string &Before = "") {
    if (Bodies != Parsed) {
      Known = calls(Parameters, Bodies, Before);
      Parsed = Bodies;
    }
    std::vector<decltype(Q(Call()))> Result;
    for (const Call &C : Known)
      Result.push_back(Q(C));
    return Result;
  }
  template <class Question>
  auto tensors(Question Q, const std::vector<std::string> &Bodies) {
    return answers(Q, "torch::Tensor t, torch::Tensor u", Bodies);
  }
  template <class Question>
  auto vectors(Question Q, const std::vector<std::string> &Bodies) {
    return answers(
        Q, "std::vector<torch::Tensor> v, std::vector<torch::Tensor> w", Bodies,
        "#include <algorithm>\n#include <functional>\n#include <numeric>\n"
        "void g(int);");
  }
  std::vector<std::string> Parsed;
  std::vector<Call> Known;
};

using Bools = std::vector<bool>;

TEST_F(QuestionsTest, StepsOfLosses) {
  EXPECT_EQ(
      tensors(lossStepOf, {"t + u", "t.sub_(u)", "t / 4", "t *= 0.5",
                           "t.mean()", "-t", "t.squeeze()", "t.exp()"}),
      (std::vector<LossStep>{LossStep::Combine, LossStep::Combine,
                             LossStep::Scale, LossStep::Scale, LossStep::Pool,
                             LossStep::Keep, LossStep::Keep, LossStep::Other}));
}

TEST_F(QuestionsTest, OperatorsInPlace) {
  const std::vector<std::string> Calls{"t /= 2",
                                       "t.mul_(2)",
                                       "t.mul(2)",
                                       "t += u",
                                       "t.zero_()",
                                       "t.copy_(u)",
                                       "t.index_put_({0}, u)",
                                       "t.add_(u)",
                                       "t.index({0})",
                                       "t[0]",
                                       "t.retain_grad()"};
  EXPECT_EQ(tensors(scalesInPlace, Calls),
            (Bools{1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(tensors(overwritesWhole, Calls),
            (Bools{0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(tensors(writesInto, Calls),
            (Bools{0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(tensors(isIndexed, Calls),
            (Bools{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(tensors(asksForGradients, Calls),
            (Bools{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST_F(QuestionsTest, Containers) {
  const std::vector<std::string> Calls{
      "v.clear()",       "v.pop_back()", "v.swap(w)", "std::exchange(v, {})",
      "std::move(v)",    "v = w",        "v.size()",  "v.empty()",
      "std::bind(&g, 1)"};
  EXPECT_EQ(vectors(leavesEmpty, Calls), (Bools{1, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(vectors(swapsContents, Calls), (Bools{0, 0, 1, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(vectors(renewsArguments, Calls),
            (Bools{0, 0, 1, 1, 0, 0, 0, 0, 0}));
  EXPECT_EQ(vectors(isMove, Calls), (Bools{0, 0, 0, 0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(vectors(isAssignment, Calls), (Bools{0, 0, 0, 0, 0, 1, 0, 0, 0}));
  auto Of = [](bool (*Question)(const FunctionDecl *)) {
    return [=](const Call &C) { return Question(C.Callee); };
  };
  EXPECT_EQ(vectors(Of(asksSize), Calls), (Bools{0, 0, 0, 0, 0, 0, 1, 0, 0}));
  EXPECT_EQ(vectors(Of(asksPresence), Calls),
            (Bools{0, 0, 0, 0, 0, 0, 1, 1, 0}));
  EXPECT_EQ(vectors(Of(wrapsFirstArgument), Calls),
            (Bools{0, 0, 0, 0, 0, 0, 0, 0, 1}));
}

TEST_F(QuestionsTest, Keys) {
  const std::string Maps = "std::map<std::string, torch::Tensor> m, "
                           "std::multimap<int, torch::Tensor> n, "
                           "std::vector<torch::Tensor> v, torch::Tensor t";
  EXPECT_EQ(answers([](const Call &C) { return subscriptKey(C) != nullptr; },
                    Maps, {"m[\"loss\"]", "m.at(\"loss\")", "m.size()"}),
            (Bools{1, 1, 0}));
  EXPECT_EQ(answers([](const Call &C) { return insertedKey(C) != nullptr; },
                    Maps,
                    {"m.emplace(\"k\", t)", "m.insert({\"k\", t})",
                     "m.insert(std::make_pair(\"k\", t))",
                     "m.insert_or_assign(\"k\", t)", "v.push_back(t)",
                     "n.emplace(1, t)"}),
            (Bools{1, 1, 1, 1, 0, 0}));
}

TEST_F(QuestionsTest, Tuples) {
  const std::string Tuple =
      "std::tuple<torch::Tensor, int> p, torch::Tensor t, int n";
  const std::vector<std::string> Calls{
      "std::get<1>(p)", "std::get<int>(p)", "std::make_tuple(t, n)",
      "std::tie(t, n)", "std::forward_as_tuple(t, n)"};
  EXPECT_EQ(answers([](const Call &C) { return tupleIndex(C).value_or(9); },
                    Tuple, Calls),
            (std::vector<unsigned>{1, 9, 9, 9, 9}));
  EXPECT_EQ(answers(makesTuple, Tuple, Calls), (Bools{0, 0, 1, 0, 1}));
  EXPECT_EQ(answers(isTie, Tuple, Calls), (Bools{0, 0, 0, 1, 1}));
}

TEST_F(QuestionsTest, Algorithms) {
  using K = AlgorithmKind;
  EXPECT_EQ(
      vectors(algorithmKind,
              {"std::accumulate(v.begin(), v.end(), torch::Tensor())",
               "std::transform(v.begin(), v.end(), w.begin(),"
               " [](torch::Tensor t) { return t; })",
               "std::copy(v.begin(), v.end(), w.begin())",
               "std::generate(v.begin(), v.end(),"
               " [] { return torch::Tensor(); })",
               "std::for_each(v.begin(), v.end(), [](torch::Tensor) {})"}),
      (std::vector<K>{K::Fold, K::Map, K::Copy, K::Generate, K::Each}));
}

TEST_F(QuestionsTest, LearningRates) {
  EXPECT_TRUE(setsLearningRate(
      last("torch::optim::SGDOptions &o", "o.lr(0.1)").Callee));
  EXPECT_FALSE(setsLearningRate(
      last("torch::optim::SGDOptions &o", "o.momentum(0.1)").Callee));
}

TEST_F(QuestionsTest, ForwardsOfHolders) {
  Unit = torchtidy::test::parse(
      "struct NetImpl : torch::nn::Module { int forward(int); };"
      "struct Deep : NetImpl {}; struct Not { int run(int); };");
  auto Forward = [&](const char *Name) {
    return forwardOf(named<CXXRecordDecl>(Unit->getASTContext(), Name));
  };
  EXPECT_TRUE(Forward("NetImpl"));
  EXPECT_EQ(Forward("Deep"), Forward("NetImpl"));
  EXPECT_FALSE(Forward("Not"));
  EXPECT_FALSE(forwardOf(nullptr));
}

} // namespace

//===- FlowSavedDataTest.cpp - Which tensor is which, path by path --------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSnippet.h"
#include "Flow/Judge.h"
#include "Flow/Model.h"
#include "Flow/PathWalk.h"
#include "Semantics/SavedData.h"

using namespace clang;
using namespace torchtidy::flow;
using namespace torchtidy::semantics;
using torchtidy::test::named;

namespace {

const char *Open = "using namespace torch::autograd; using torch::Tensor;\n"
                   "struct F : Function<F> { static variable_list "
                   "forward(AutogradContext *c, Tensor x, Tensor w, int n) {";
const char *Close = "} static variable_list backward(AutogradContext *c,"
                    " variable_list g) {";
const char *Reads = "return {g[0] + c->saved_data[\"y\"].toTensor()};";

/// One custom function.
struct SavedDataTest : testing::Test {
  std::vector<SavedOutput> outputs(const std::string &Forward,
                                   const std::string &Backward = Reads) {
    Unit = torchtidy::test::parse(Open + Forward + Close + Backward + "} };");
    M = std::make_unique<Model>(Unit->getASTContext(), Options());
    return M->savedOutputs();
  }
  bool found(const std::string &Forward, const std::string &Backward = Reads) {
    return !outputs(Forward, Backward).empty();
  }
  /// Walks the forward alone.
  PathWalk::End walk(const std::string &Forward, PathWalk::Visit AtReturn) {
    Unit = torchtidy::test::parse(Open + Forward + Close + Reads + "} };");
    A = std::make_unique<Analysis>(Unit->getASTContext(), Options());
    A->run();
    for (const FunctionDecl *F : A->Funcs.all())
      if (isCustomForward(F))
        return PathWalk(*A).walk(F, AtReturn);
    ADD_FAILURE() << "no forward";
    return PathWalk::End::Lost;
  }
  std::unique_ptr<ASTUnit> Unit;
  std::unique_ptr<Model> M;
  std::unique_ptr<Analysis> A;
};

TEST_F(SavedDataTest, EachPathIsWalkedOnce) {
  unsigned Paths = 0;
  auto Count = [&](Path &, const ReturnStmt *) { ++Paths; };
  EXPECT_EQ(walk("return {x};", Count), PathWalk::End::Complete);
  EXPECT_EQ(Paths, 1u);
  Paths = 0;
  walk("if (n) x = w; if (n > 1) return {x}; return {w};", Count);
  EXPECT_EQ(Paths, 4u);
  Paths = 0; // no round, one, two
  walk("for (int i = 0; i < n; ++i) x = x + 1; return {x};", Count);
  EXPECT_EQ(Paths, 3u);
  Paths = 0; // a path that throws returns nothing
  walk("if (n) throw 1; return {x};", Count);
  EXPECT_EQ(Paths, 1u);
}

TEST_F(SavedDataTest, TooManyPathsAreGivenUp) {
  std::string Forks;
  for (int I = 0; I < 12; ++I)
    Forks += "if (n > " + std::to_string(I) + ") x = x + 1; ";
  EXPECT_EQ(walk(Forks + "return {x};", [](Path &, const ReturnStmt *) {}),
            PathWalk::End::TooMany);
  const std::string Leaks =
      "Tensor y = x.exp(); c->saved_data[\"y\"] = y; " + Forks + "return {y};";
  EXPECT_FALSE(found(Leaks));
  ASSERT_EQ(M->skipped().size(), 1u);
  EXPECT_NE(M->skipped()[0].second.find("too many paths"), std::string::npos);
}

TEST_F(SavedDataTest, ThingsKeepTheirIdentity) {
  std::vector<ThingId> Ids;
  auto Look = [&](Path &P, const ReturnStmt *) {
    Ids.clear();
    EXPECT_TRUE(P.tensorsIn(P.read(P.frame().Returned), Ids));
  };
  auto Same = [&](const std::string &Body) {
    walk(Body, Look);
    return Ids.size() == 2 && Ids[0] == Ids[1];
  };
  EXPECT_TRUE(Same("Tensor y = x; return {x, y};"));
  EXPECT_TRUE(Same("Tensor y = x.relu_(); return {x, y};"));
  EXPECT_TRUE(Same("Tensor y = x + 1; Tensor &z = y; y *= 2; return {y, z};"));
  EXPECT_TRUE(Same("variable_list v{x, w}; return {v[1], w};"));
  EXPECT_TRUE(Same("auto t = std::make_tuple(x, w);"
                   " return {std::get<1>(t), w};"));
  EXPECT_TRUE(Same("Tensor y; [&] { y = w; }(); return {y, w};"));
  EXPECT_TRUE(Same("auto p = &w; *p = x; return {x, w};"));
  EXPECT_FALSE(Same("return {x, w};"));
  EXPECT_FALSE(Same("Tensor y = x; y = y + 1; return {x, y};"));
  EXPECT_FALSE(Same("variable_list v{x, w}; v[0] = w; return {v[0], x};"));
  EXPECT_FALSE(Same("variable_list v{x, w}, u = v; u[0] = w;"
                    " return {v[0], u[0]};"));
}

TEST_F(SavedDataTest, ListsOfTheLibraryAreShared) {
  const std::string Begin = "Tensor y = x.exp(); ";
  EXPECT_TRUE(found(Begin + "c10::List<Tensor> l; c->saved_data[\"l\"] = l;"
                            " l.push_back(y); return {y};"));
  EXPECT_FALSE(found(Begin + "variable_list l; c->saved_data[\"l\"] = l;"
                             " l.push_back(y); return {y};"));
}

TEST_F(SavedDataTest, WhatIsKnownOfAnOutput) {
  const SavedOutput Plain =
      outputs("Tensor y = x.exp(); c->saved_data[\"y\"] = y; return {y};")
          .at(0);
  EXPECT_FALSE(Plain.IsView);
  EXPECT_FALSE(Plain.IsInGroup);
  EXPECT_EQ(Plain.Producers.size(), 1u);
  EXPECT_TRUE(isa<CXXMemberCallExpr>(Plain.Producers[0]));
  EXPECT_TRUE(
      outputs("Tensor y = x.exp(); c->saved_data[\"y\"] = y.t(); return {y};")
          .at(0)
          .IsView);
  EXPECT_TRUE(outputs("Tensor y = x.exp(); c->saved_data[\"y\"] ="
                      " variable_list{x, y}; return {y};")
                  .at(0)
                  .IsInGroup);
}

TEST_F(SavedDataTest, AStoreIsSureOnAllPathsToAReturn) {
  const std::string Saves = "Tensor y = x.exp(); c->saved_data[\"y\"] = y; ";
  EXPECT_TRUE(found(Saves + "if (n) return {y}; return {y + 1};"));
  EXPECT_TRUE(found(Saves + "if (n) y = y + 1; return {y};"));
  EXPECT_FALSE(found("Tensor y = x.exp(); if (n > 1) c->saved_data[\"y\"] = y;"
                     " if (n > 1) y = y + 1; return {y};"));
}

TEST_F(SavedDataTest, OutputsThatHaveNoGradient) {
  const std::string Two = "auto y = w.exp(); auto z = x.exp();"
                          "c->saved_data[\"y\"] = y; return {z, y};";
  EXPECT_FALSE(found(Two)); // nothing reads g[1]
  EXPECT_TRUE(found(Two, "return {g[0], g[1]};"));
  EXPECT_FALSE(found("auto y = x.exp(); c->saved_data[\"y\"] = y;"
                     "c->mark_non_differentiable({y}); return {y};"));
  EXPECT_FALSE(
      found("auto y = x.gt(0); c->saved_data[\"y\"] = y; return {y};"));
}

TEST_F(SavedDataTest, BackwardThatMayLetGo) {
  const std::string Saves =
      "Tensor y = x.exp(); c->saved_data[\"y\"] = y; return {y};";
  for (const char *Keeps :
       {"return {g[0]};", "return {c->saved_data[\"y\"].toTensor()};",
        "const auto &s = c->saved_data; return {s.at(\"y\").toTensor()};",
        "auto y = c->saved_data[\"y\"]; return {y.toTensor()};",
        "if (c->saved_data.count(\"y\")) return {}; return {g[0]};",
        "auto f = [&] { return c->saved_data[\"y\"].toTensor(); };"
        "return {f()};",
        "c->set_materialize_grads(false); return {std::move(g[0])};"})
    EXPECT_TRUE(found(Saves, Keeps)) << Keeps;
  for (const char *LetsGo :
       {"c->saved_data.clear(); return {g[0]};",
        "auto &s = c->saved_data; return {s.at(\"y\").toTensor()};",
        "auto y = std::move(c->saved_data[\"y\"]).toTensor(); return {y};",
        "auto y = std::move(c->saved_data[\"y\"].toTensor()); return {y};",
        "c->saved_data[\"y\"] = g[0]; return {g[0]};",
        "auto s = std::move(c->saved_data); return {g[0]};",
        "for (auto &s : c->saved_data) s.second = 1; return {g[0]};",
        "auto f = [&] { c->saved_data.erase(\"y\"); }; f(); return {g[0]};"})
    EXPECT_FALSE(found(Saves, LetsGo)) << LetsGo;
}

struct IdentityTest : torchtidy::test::CallSnippet {};

TEST_F(IdentityTest, WhichTensorACallGives) {
  auto Of = [&](const std::string &Body) {
    return identityOf(last("torch::Tensor t, torch::Tensor u", Body));
  };
  EXPECT_EQ(Of("t.exp()"), Identity::New);
  EXPECT_EQ(Of("t + u"), Identity::New);
  EXPECT_EQ(Of("t.detach()"), Identity::New);
  EXPECT_EQ(Of("t.relu_()"), Identity::Same);
  EXPECT_EQ(Of("t *= u"), Identity::Same);
  EXPECT_EQ(Of("t.requires_grad_(true)"), Identity::Same);
  EXPECT_EQ(Of("t.view({-1})"), Identity::View);
  EXPECT_EQ(Of("t[0]"), Identity::View);
  EXPECT_EQ(Of("t.contiguous()"), Identity::MayBeSame);
  EXPECT_EQ(Of("t.to(torch::kLong)"), Identity::MayBeSame);
  EXPECT_EQ(Of("t.cpu()"), Identity::MayBeSame);
}

} // namespace

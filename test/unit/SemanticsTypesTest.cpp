//===- SemanticsTypesTest.cpp - What types mean ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics/Types.h"
#include "Snippet.h"

using namespace clang;
using namespace torchtidy::semantics;
using torchtidy::test::named;
using torchtidy::test::parse;

namespace {

struct TypesTest : testing::Test {
  void code(const std::string &Text, std::vector<std::string> Guards = {}) {
    Unit = parse(Text);
    ASSERT_TRUE(Unit);
    T.emplace(Unit->getASTContext(), std::move(Guards));
  }
  QualType type(const std::string &Variable) {
    const auto *V = named<VarDecl>(Unit->getASTContext(), Variable);
    EXPECT_TRUE(V) << Variable;
    return V ? V->getType() : QualType();
  }
  std::unique_ptr<ASTUnit> Unit;
  std::optional<Types> T;
};

TEST_F(TypesTest, Tensors) {
  code("using T = torch::Tensor; T a; const at::Tensor &b = a;"
       "torch::autograd::Variable c; int d;");
  EXPECT_TRUE(T->isTensor(type("a")));
  EXPECT_TRUE(T->isTensor(type("b")));
  EXPECT_TRUE(T->isTensor(type("c")));
  EXPECT_FALSE(T->isTensor(type("d")));
}

TEST_F(TypesTest, WhatCarriesATensor) {
  code("struct Batch { torch::Tensor x; int n; };"
       "std::vector<Batch> a; std::map<int, torch::Tensor> b;"
       "std::pair<int, float> c; std::vector<float> d;"
       "c10::IValue e; torch::nn::Linear f{nullptr};"
       "std::shared_ptr<std::vector<torch::Tensor>> g; torch::Tensor h[3];");
  for (const char *Name : {"a", "b", "e", "g", "h"})
    EXPECT_TRUE(T->carriesTensor(type(Name))) << Name;
  // A module owns parameters; it is not what keeps an iteration's tensors.
  for (const char *Name : {"c", "d", "f"})
    EXPECT_FALSE(T->carriesTensor(type(Name))) << Name;
}

TEST_F(TypesTest, Modules) {
  code("struct Net : torch::nn::Module {}; Net a; std::shared_ptr<Net> b;"
       "struct FooImpl : torch::nn::Module {}; TORCH_MODULE(Foo);"
       "void f(Foo c, torch::nn::Linear d, torch::nn::ReLU e,"
       "       torch::jit::Module g, torch::optim::SGD &h, Net *i);"
       "struct Own : torch::optim::Optimizer { using Optimizer::Optimizer; };"
       "void k(Own &own);");
  auto Param = [&](const char *N) {
    return named<ParmVarDecl>(Unit->getASTContext(), N)->getType();
  };
  EXPECT_EQ(T->moduleKind(type("a")), ModuleKind::User);
  EXPECT_EQ(T->moduleKind(type("b")), ModuleKind::User);
  EXPECT_EQ(T->moduleKind(Param("c")), ModuleKind::User);
  EXPECT_EQ(T->moduleKind(Param("i")), ModuleKind::User);
  EXPECT_EQ(T->moduleKind(Param("d")), ModuleKind::Parametric);
  EXPECT_EQ(T->moduleKind(Param("e")), ModuleKind::Parameterless);
  EXPECT_TRUE(T->isJitModule(Param("g")));
  EXPECT_TRUE(T->isOptimizer(Param("h")));
  EXPECT_TRUE(T->isOptimizer(Param("own")));
  EXPECT_EQ(T->moduleKind(Param("h")), ModuleKind::None);
}

TEST_F(TypesTest, Guards) {
  code("#define NO_GRAD torch::NoGradGuard macro\n"
       "struct Scope { int n; torch::NoGradGuard g; };"
       "struct Mine {}; struct Plain { torch::NoGradGuard *p; };"
       "void f() { torch::NoGradGuard a; c10::InferenceMode b;"
       "torch::AutoGradMode c(false); Scope d;"
       "std::unique_ptr<torch::NoGradGuard> e; NO_GRAD; Mine mine; Plain p; }",
       {"Mine"});
  EXPECT_EQ(T->guardKind(type("a")), GuardKind::NoGrad);
  EXPECT_EQ(T->guardKind(type("b")), GuardKind::Inference);
  EXPECT_EQ(T->guardKind(type("c")), GuardKind::AutoGrad);
  EXPECT_EQ(T->guardKind(type("d")), GuardKind::NoGrad);
  EXPECT_EQ(T->guardKind(type("e")), GuardKind::NoGrad);
  EXPECT_EQ(T->guardKind(type("macro")), GuardKind::NoGrad);
  EXPECT_EQ(T->guardKind(type("mine")), GuardKind::NoGrad);
  EXPECT_EQ(T->guardKind(type("p")), GuardKind::None);
}

TEST_F(TypesTest, ScopeGuards) {
  code("struct Holds { bool b; torch::NoGradGuard g; };"
       "struct Works { torch::NoGradGuard g; torch::Tensor t; };"
       "struct Does { torch::NoGradGuard g; void run(); };"
       "struct ByHand { bool b; ByHand();"
       "  ~ByHand() { torch::GradMode::set_enabled(b); } };"
       "struct Guard { ~Guard(); }; struct Mine {};"
       "void f(c10::DeviceGuard a, at::ThreadLocalStateGuard b,"
       "  at::AutoDispatchBelowAutograd c, c10::InferenceMode d, Holds e,"
       "  ByHand g, std::unique_ptr<torch::AutoGradMode> h, Mine mine,"
       "  Works i, Does j, Guard k, torch::NoGradGuard &l, c10::Device m,"
       "  at::ThreadLocalState n);",
       {"Mine"});
  for (const char *Name : {"a", "b", "c", "d", "e", "g", "h", "mine"})
    EXPECT_TRUE(T->isScopeGuard(type(Name))) << Name;
  for (const char *Name : {"i", "j", "k", "l", "m", "n"})
    EXPECT_FALSE(T->isScopeGuard(type(Name))) << Name;
}

} // namespace

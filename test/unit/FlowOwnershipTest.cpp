//===- FlowOwnershipTest.cpp - Optimizers and what they own ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flow/ModuleUses.h"
#include "Flow/Ownership.h"
#include "Snippet.h"

using namespace clang;
using namespace torchtidy::flow;
using torchtidy::test::named;

namespace {

struct FlowOwnershipTest : testing::Test {
  void code(const std::string &Text) {
    Unit = torchtidy::test::parse(Text);
    A = std::make_unique<Analysis>(Unit->getASTContext(), Options());
    A->run();
  }
  std::vector<std::string> owned(const Storage &S) {
    std::vector<std::string> Names;
    for (const ValueDecl *D : Ownership(*A).ownedBy(S))
      Names.push_back(D->getNameAsString());
    llvm::sort(Names);
    return Names;
  }
  Storage variable(const std::string &Name) {
    return Storage::of(named<VarDecl>(Unit->getASTContext(), Name));
  }
  std::vector<Event> events(Event::Kind K) {
    std::vector<Event> Result;
    const auto *F = named<FunctionDecl>(Unit->getASTContext(), "f");
    for (const Event &E : A->known(F)->Events)
      if (E.K == K)
        Result.push_back(E);
    return Result;
  }
  std::unique_ptr<ASTUnit> Unit;
  std::unique_ptr<Analysis> A;
};

using Strings = std::vector<std::string>;

TEST_F(FlowOwnershipTest, VariablesAndMembers) {
  code("void f() { torch::nn::Linear net(8, 8);"
       " torch::optim::SGD a(net->parameters(), 0.1);"
       " std::vector<torch::Tensor> list = net->parameters();"
       " torch::optim::SGD b(list, 0.1);"
       " auto c = std::make_unique<torch::optim::Adam>(net->parameters()); }"
       "struct T { T() : o(n->parameters(), 0.1) {}"
       " torch::nn::Linear n{8, 8}; torch::optim::SGD o; };");
  EXPECT_EQ(owned(variable("a")), Strings{"net"});
  EXPECT_EQ(owned(variable("b")), Strings{}); // through a list: not known
  EXPECT_EQ(owned(variable("c")), Strings{"net"});
  EXPECT_EQ(owned(Storage::ofThis().field(
                named<FieldDecl>(Unit->getASTContext(), "o"))),
            Strings{"n"});
}

TEST_F(FlowOwnershipTest, OtherModules) {
  code("void f() { torch::nn::Linear g(8, 8), d(8, 8);"
       " torch::optim::SGD go(g->parameters(), 0.1);"
       " torch::optim::SGD all(g->parameters(), 0.1);"
       " torch::optim::SGD dop(d->parameters(), 0.1);"
       " d->zero_grad(); dop.zero_grad(); g->zero_grad(); all.zero_grad();"
       " for (auto &p : d->parameters()) p.grad().zero_(); }");
  const auto Zeros = events(Event::ZeroGrad);
  ASSERT_EQ(Zeros.size(), 5u);
  std::vector<bool> Others;
  for (const Event &Z : Zeros)
    Others.push_back(Ownership(*A).isForOthers(Z, Z.Target, variable("go")));
  // By hand: whose gradients these are is not asked.
  EXPECT_EQ(Others, (std::vector<bool>{true, true, false, false, false}));
}

TEST_F(FlowOwnershipTest, StepsByHand) {
  code("void f(torch::Tensor w, torch::Tensor sum) {"
       " w -= 0.1 * w.grad(); w.data().sub_(0.1 * w.grad());"
       " sum += w.grad(); w = w - 0.1 * w.grad();"
       " w.data() = w.data() - 0.1 * w.grad(); }");
  std::vector<std::string> Targets;
  for (const Event &S : events(Event::Step)) {
    EXPECT_TRUE(S.ByHand);
    Targets.push_back(S.Target.valid() ? S.Target.name() : "");
  }
  EXPECT_EQ(Targets, (Strings{"w", "w", "", "", "w"}));
}

TEST_F(FlowOwnershipTest, WhatAnOptimizerWasMadeWith) {
  code("void f(torch::Tensor given, torch::optim::SGD &o) {"
       " torch::nn::Linear net(8, 8); torch::Tensor own;"
       " torch::optim::SGD a(net->parameters(), 0.1), b({own}, 0.1);"
       " std::vector<torch::Tensor> list;"
       " torch::optim::SGD c({given}, 0.1), d(list, 0.1); }");
  const Ownership Owns(*A);
  EXPECT_TRUE(Owns.isKnown(variable("a")));
  EXPECT_TRUE(Owns.isKnown(variable("b")));
  for (const char *Name : {"c", "d", "o"})
    EXPECT_FALSE(Owns.isKnown(variable(Name))) << Name;
}

TEST_F(FlowOwnershipTest, ModulesThatAreOnlyRun) {
  code("struct Net : torch::nn::Module { torch::nn::Linear l{nullptr};"
       " torch::Tensor forward(torch::Tensor x) { return l->forward(x); } };"
       "void touch(Net &n);"
       "static torch::Tensor run(Net &n, torch::Tensor x) {"
       " return n.forward(x); }"
       "static void look(Net &n) { n.zero_grad(); }"
       "void f(torch::Tensor x) {"
       " Net plain, owned, part, seen, unseen, zeroed, named;"
       " plain.eval(); plain.forward(x); owned.parameters();"
       " part.l->forward(x); run(seen, x); touch(unseen); look(zeroed);"
       " Net &alias = named; alias.forward(x);"
       " auto made = std::make_shared<Net>(); auto copy = made;"
       " made->to(torch::kCPU); }");
  const ModuleUses Uses(*A);
  auto onlyRun = [&](const char *Name) {
    return Uses.isOnlyRun(cast<ValueDecl>(variable(Name).Root));
  };
  for (const char *Name : {"plain", "seen", "named", "alias"})
    EXPECT_TRUE(onlyRun(Name)) << Name;
  for (const char *Name : {"owned", "part", "unseen", "zeroed"})
    EXPECT_FALSE(onlyRun(Name)) << Name;
  EXPECT_TRUE(Uses.isMadeHere(variable("plain").Root));
  EXPECT_TRUE(Uses.isMadeHere(variable("made").Root));
  EXPECT_FALSE(Uses.isMadeHere(variable("copy").Root));
  EXPECT_FALSE(Uses.isMadeHere(variable("alias").Root));
}

TEST_F(FlowOwnershipTest, ClassesThatLeaveTheirParametersAlone) {
  code("using torch::Tensor; using torch::nn::Linear;"
       "struct Net : torch::nn::Module { Linear l{nullptr};"
       " Net() { l = register_module(\"l\", Linear(8, 8)); }"
       " Tensor forward(Tensor x) { return l->forward(x); } };"
       "struct Frozen : Net { Frozen() {"
       " for (auto &p : parameters()) p.set_requires_grad(false); } };"
       "struct Deep : torch::nn::Module { std::shared_ptr<Frozen> f; };"
       "struct Empty : torch::nn::Module { Tensor forward(Tensor x); };"
       "struct Unseen : Net { void tune(); };"
       "void f(Net net, Frozen frozen, Deep deep, Empty empty, Unseen unseen,"
       " Linear linear, torch::nn::ReLU relu) {}");
  const ModuleUses Uses(*A);
  auto plain = [&](const char *Name) {
    return Uses.isPlain(variable(Name).Root->getType());
  };
  EXPECT_TRUE(plain("net"));
  EXPECT_TRUE(plain("linear"));
  for (const char *Name : {"frozen", "deep", "empty", "unseen", "relu"})
    EXPECT_FALSE(plain(Name)) << Name;
}

} // namespace

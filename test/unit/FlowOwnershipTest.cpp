//===- FlowOwnershipTest.cpp - Optimizers and what they own ---------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

} // namespace

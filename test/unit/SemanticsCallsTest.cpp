//===- SemanticsCallsTest.cpp - What calls mean ---------------------------===//
//
// Part of the torchtidy project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallSnippet.h"
#include "Semantics/Arguments.h"
#include "Semantics/Losses.h"

using namespace clang;
using namespace torchtidy::semantics;

namespace {

using CallsTest = torchtidy::test::CallSnippet;

TEST_F(CallsTest, Tensors) {
  EXPECT_EQ(kind("torch::Tensor t", "t.detach()"), CallKind::Detach);
  EXPECT_EQ(kind("torch::Tensor t", "t.detach_()"), CallKind::DetachInPlace);
  EXPECT_EQ(kind("torch::Tensor t", "t.item<float>()"), CallKind::Look);
  EXPECT_EQ(kind("torch::Tensor t", "t.sum()"), CallKind::Operator);
  EXPECT_EQ(kind("torch::Tensor t", "t.grad()"), CallKind::Gradient);
  EXPECT_EQ(kind("torch::Tensor t", "t.requires_grad_(true)"),
            CallKind::MakeLeaf);
  EXPECT_EQ(kind("torch::Tensor t", "t.requires_grad_(false)"),
            CallKind::StopGrad);
  EXPECT_EQ(kind("torch::Tensor t", "t.to(torch::kLong)"), CallKind::Detach);
  EXPECT_TRUE(last("torch::Tensor t", "t += t").InPlace);
  EXPECT_EQ(last("torch::Tensor t", "t + t").Name, "add");
}

TEST_F(CallsTest, Launchers) {
  const std::string Torch = "#include <ATen/Parallel.h>\n"
                            "#include <c10/core/thread_pool.h>\n"
                            "#include <future>\n";
  auto Where = [&](const std::string &Body) {
    const Call C = last("c10::ThreadPool &pool", Body, Torch);
    EXPECT_EQ(C.Kind, CallKind::Launch) << Body;
    return C.Where;
  };
  EXPECT_EQ(Where("at::launch([] {})"), Launcher::Task);
  EXPECT_EQ(Where("at::parallel_for(0, 8, 1, [](int64_t, int64_t) {})"),
            Launcher::Team);
  EXPECT_EQ(Where("pool.run([] {})"), Launcher::Thread);
  EXPECT_EQ(Where("std::async([] {})"), Launcher::Thread);
  EXPECT_EQ(kind("", "at::intraop_launch([] {})", Torch), CallKind::Opaque);
  EXPECT_EQ(kind("", "std::async(std::launch::deferred, [] {})", Torch),
            CallKind::Opaque);
  EXPECT_EQ(kind("c10::ThreadPool &pool", "pool.waitWorkComplete()", Torch),
            CallKind::Through);
}

TEST_F(CallsTest, Backward) {
  Call C = last("torch::Tensor t", "t.backward()");
  EXPECT_EQ(C.Kind, CallKind::Backward);
  EXPECT_EQ(retainsGraph(C, Unit->getASTContext()), false);
  EXPECT_EQ(gradientArgument(C), nullptr);
  C = last("torch::Tensor t", "t.backward({}, true)");
  EXPECT_EQ(retainsGraph(C, Unit->getASTContext()), true);
  EXPECT_EQ(gradientArgument(C), nullptr);
  C = last("torch::Tensor t", "t.backward(t)");
  EXPECT_NE(gradientArgument(C), nullptr);
  C = last("torch::Tensor t, bool keep", "t.backward({}, keep)");
  EXPECT_EQ(retainsGraph(C, Unit->getASTContext()), std::nullopt);
  EXPECT_EQ(kind("torch::Tensor t", "torch::autograd::backward({t}, {})"),
            CallKind::Backward);
  EXPECT_EQ(kind("torch::Tensor t", "torch::autograd::grad({t}, {t})"),
            CallKind::AutogradGrad);
}

TEST_F(CallsTest, Modules) {
  const char *Net =
      "struct Net : torch::nn::Module { torch::nn::Linear l{nullptr};"
      " torch::Tensor forward(torch::Tensor x) { return x; }"
      " torch::Tensor operator()(torch::Tensor x) { return x; } };";
  EXPECT_EQ(kind("Loss &n, torch::Tensor t", "n.forward(t)",
                 "struct Loss : torch::nn::Module { float scale = 1;"
                 " torch::Tensor forward(torch::Tensor x) { return x; } };"),
            CallKind::User);
  EXPECT_EQ(kind("Net &n, torch::Tensor t", "n.forward(t)", Net),
            CallKind::Forward);
  EXPECT_EQ(kind("Net &n, torch::Tensor t", "n(t)", Net), CallKind::Forward);
  EXPECT_EQ(kind("torch::nn::Linear l, torch::Tensor t", "l(t)"),
            CallKind::Forward);
  EXPECT_EQ(kind("torch::nn::Sequential s, torch::Tensor t", "s->forward(t)"),
            CallKind::Forward);
  EXPECT_EQ(kind("torch::jit::Module m, torch::Tensor t", "m.forward({t})"),
            CallKind::Forward);
  EXPECT_EQ(kind("torch::nn::Linear l", "l->eval()"), CallKind::Eval);
  EXPECT_EQ(kind("torch::nn::Linear l", "l->train(false)"), CallKind::Eval);
  EXPECT_EQ(kind("torch::nn::Linear l", "l->train()"), CallKind::Train);
  EXPECT_EQ(kind("torch::optim::SGD &o", "o.step()"), CallKind::Step);
  EXPECT_EQ(kind("torch::optim::Optimizer &o", "o.zero_grad()"),
            CallKind::ZeroGrad);
  EXPECT_EQ(kind("torch::nn::Linear l", "l->zero_grad()"), CallKind::ZeroGrad);
}

TEST_F(CallsTest, GradMode) {
  EXPECT_EQ(kind("", "torch::autograd::GradMode::set_enabled(false)"),
            CallKind::SetGradMode);
  EXPECT_EQ(kind("", "c10::GradMode::is_enabled()"), CallKind::GetGradMode);
}

TEST_F(CallsTest, Containers) {
  EXPECT_EQ(
      kind("std::vector<torch::Tensor> v, torch::Tensor t", "v.push_back(t)"),
      CallKind::Insert);
  EXPECT_EQ(
      kind("std::vector<torch::Tensor> *v, torch::Tensor t", "v->push_back(t)"),
      CallKind::Insert);
  EXPECT_EQ(kind("std::deque<torch::Tensor> v", "v.pop_front()"),
            CallKind::Bound);
  EXPECT_EQ(kind("std::vector<torch::Tensor> v", "v.back()"), CallKind::Access);
  EXPECT_EQ(kind("std::vector<torch::Tensor> v", "v.size()"), CallKind::Look);
}

TEST_F(CallsTest, LossesReduce) {
  EXPECT_EQ(lossKindOf(last("torch::Tensor a", "torch::mse_loss(a, a)"), *T),
            LossKind::Mean);
  EXPECT_EQ(lossKindOf(last("torch::Tensor a", "a.sum()"), *T), LossKind::Sum);
  EXPECT_EQ(lossKindOf(last("torch::Tensor a",
                            "torch::mse_loss(a, a, torch::Reduction::Sum)"),
                       *T),
            LossKind::Sum);
  EXPECT_EQ(lossKindOf(last("torch::Tensor a", "a.exp()"), *T),
            LossKind::Unknown);
}

TEST_F(CallsTest, UserNames) {
  Names.NonConsumers = {"show"};
  Names.ThreadLaunchers = {"Pool::enqueue"};
  EXPECT_EQ(kind("torch::Tensor t", "show(t)", "void show(torch::Tensor);"),
            CallKind::Look);
  EXPECT_EQ(
      kind("Pool &p", "p.enqueue(1)", "struct Pool { void enqueue(int); };"),
      CallKind::Launch);
}

} // namespace

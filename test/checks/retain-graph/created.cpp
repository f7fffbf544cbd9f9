// RUN: %check %s torch-retain-graph
//
// create_graph in backward(): gradients that hold their own graph.

#include "../Inputs/net.h"

void bad_penalty(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    auto x = b.x.clone().set_requires_grad(true);
    auto y = net.forward(x).sum();
    y.backward({}, /*keep_graph=*/true, /*create_graph=*/true);
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: backward with create_graph makes cycles of gradients and their graphs, which are never freed [torch-retain-graph]
    x.grad().norm().backward();
    opt.step();
  }
}

static Tensor gradient_norm(Net &net, Tensor input) {
  Tensor x = input.detach().clone();
  x.requires_grad_(true);
  net.forward(x).sum().backward({}, true, true);
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
  return x.grad().norm();
}
void bad_in_a_helper(Net &net, torch::optim::Optimizer &opt,
                     const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    gradient_norm(net, b.x).backward();
    opt.step();
  }
}

void bad_parameters(Net &net, const Batches &data) {
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward({}, true, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
  }
}

void bad_autograd_backward(Net &net, torch::optim::Optimizer &opt,
                           const Batches &data) {
  for (const auto &b : data) {
    net.zero_grad();
    auto x = b.x.clone().requires_grad_(true);
    auto y = net.forward(x).sum();
    torch::autograd::backward({y}, {}, true, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    x.grad().pow(2).sum().backward();
    opt.step();
  }
}

struct Penalty {
  Net net;
  Tensor bad_of(Tensor data) {
    auto x = data.clone().requires_grad_(true);
    net.forward(x).sum().backward({}, true, true);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retain-graph]
    return x.grad().pow(2).sum();
  }
};

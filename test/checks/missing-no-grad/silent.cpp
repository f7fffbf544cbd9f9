// RUN: %check %s torch-missing-no-grad
//
// Grad mode is on for a reason, or costs nothing.

#include "../Inputs/net.h"

void ok_training(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  net.train();
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
  }
}

// Batch norm stays frozen while the weights are tuned.
void ok_fine_tuning_in_eval_mode(Net &net, torch::optim::Optimizer &opt,
                                 const Batches &data) {
  net.eval();
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

std::pair<double, Tensor> ok_forces(Net &net, Tensor positions) {
  net.eval();
  positions.requires_grad_(true);
  auto energy = net.forward(positions).sum();
  auto forces = -torch::autograd::grad({energy}, {positions})[0];
  return {energy.item<double>(), forces};
}

Tensor ok_forces_by_backward(Net &net, Tensor positions) {
  net.eval();
  positions.set_requires_grad(true);
  Tensor energy = net.forward(positions).sum();
  torch::autograd::backward({energy});
  return -positions.grad();
}

void ok_optimising_the_input(Net &net, Tensor goal) {
  net.eval();
  for (auto &p : net.parameters())
    p.set_requires_grad(false);
  Tensor x = torch::randn({1, 64}, torch::requires_grad());
  torch::optim::Adam opt({x}, 0.1);
  for (int i = 0; i < 50; ++i) {
    opt.zero_grad();
    torch::mse_loss(net.forward(x), goal).backward();
    opt.step();
  }
}

float ok_frozen(Net &net, Tensor x) {
  net.eval();
  for (auto &p : net.parameters())
    p.requires_grad_(false);
  return net.forward(x).max().item<float>();
}

static void freeze(torch::nn::Module &module) {
  for (auto &p : module.parameters())
    p.set_requires_grad(false);
}
float ok_frozen_by_helper(Net &net, Tensor x) {
  freeze(net);
  net.eval();
  return net.forward(x).max().item<float>();
}

// The result leaves: the caller may want its history.
Tensor ok_result_escapes(Net &net, Tensor x) {
  net.eval();
  return net.forward(x);
}

void ok_result_by_reference(Net &net, Tensor x, Tensor &out) {
  net.eval();
  out = net.forward(x);
}

struct Wrapper : torch::nn::Module {
  Tensor forward(Tensor x) { return torch::tanh(inner->forward(x)); }
  std::shared_ptr<Net> inner;
};

void ok_target_network(Net &online, Net &target, torch::optim::Optimizer &opt,
                       const Batches &data) {
  target.eval();
  for (const auto &b : data) {
    Tensor next = target.forward(b.y).detach();
    opt.zero_grad();
    torch::mse_loss(online.forward(b.x), next).backward();
    opt.step();
  }
}

void ok_closure(Net &net, torch::optim::LBFGS &opt, const Batch &b) {
  auto closure = [&]() {
    opt.zero_grad();
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    return loss;
  };
  opt.step(closure);
}

void ok_backward_in_helper_done(Tensor loss) { loss.backward(); }
void ok_backward_in_helper(Net &net, torch::optim::Optimizer &opt,
                           const Batch &b) {
  net.eval();
  opt.zero_grad();
  ok_backward_in_helper_done(torch::mse_loss(net.forward(b.x), b.y));
  opt.step();
}

void learn(Tensor loss);
void ok_unknown_callee(Net &net, const Batch &b) {
  net.eval();
  learn(torch::mse_loss(net.forward(b.x), b.y));
}

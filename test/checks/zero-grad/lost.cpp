// RUN: %check %s torch-zero-grad
//
// Gradients that are zeroed between backward and step.

#include "../Inputs/net.h"

void bad_order(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.zero_grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: gradients are zeroed after backward, before the optimizer steps [torch-zero-grad]
    opt.step();
  }
}

struct Trainer {
  Net &net;
  torch::optim::Adam opt;
  double bad_once(Tensor x, Tensor y) {
    auto loss = torch::mse_loss(net.forward(x), y);
    loss.backward();
    const double value = loss.item<double>();
    opt.zero_grad();
    // CHECK-MESSAGES: :[[@LINE-1]]:5: warning: gradients are zeroed after backward, before the optimizer steps [torch-zero-grad]
    opt.step();
    return value;
  }
};

void ok_order(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

void ok_after_the_step(Net &net, torch::optim::Optimizer &opt,
                       const Batches &data) {
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    opt.zero_grad();
  }
}

// What the other loss left in it.
void ok_other_optimizer(Net &g, Net &d, torch::optim::Optimizer &of_g,
                        torch::optim::Optimizer &of_d, const Batches &data) {
  for (const auto &b : data) {
    of_d.zero_grad();
    torch::mse_loss(d.forward(g.forward(b.x)), b.y).backward();
    of_g.zero_grad();
    of_d.step();
    torch::mse_loss(d.forward(g.forward(b.x)), b.x).backward();
    of_g.step();
  }
}

// Kept, and put back.
void ok_put_back(Net &net, torch::optim::Optimizer &opt, Tensor w, Tensor x) {
  torch::mse_loss(net.forward(x), x).backward();
  auto kept = w.grad().clone();
  opt.zero_grad();
  w.mutable_grad() = kept;
  opt.step();
}

void fill(Net &net, Tensor x);
void ok_unseen(Net &net, torch::optim::Optimizer &opt, Tensor x) {
  torch::mse_loss(net.forward(x), x).backward();
  opt.zero_grad();
  fill(net, x);
  opt.step();
}

// Only sometimes.
void ok_skipped(Net &net, torch::optim::Optimizer &opt, Tensor x) {
  auto loss = torch::mse_loss(net.forward(x), x);
  loss.backward();
  if (std::isnan(loss.item<float>()))
    opt.zero_grad();
  opt.step();
}

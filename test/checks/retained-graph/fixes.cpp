// RUN: %check %s torch-retained-graph
//
// Edits that are safe: the value is what the holder wants.

#include "../Inputs/net.h"

double bad_sum_of_losses(Net &net, torch::optim::Optimizer &opt,
                         const Batches &data) {
  Tensor total = torch::zeros({1});
  for (const auto &b : data) {
    opt.zero_grad();
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
    total += loss;
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    // CHECK-FIXES: total += loss.detach();
  }
  return total.item<double>();
}

void bad_list_of_losses(Net &net, torch::optim::Optimizer &opt,
                        const Batches &data) {
  std::vector<Tensor> losses;
  for (const auto &b : data) {
    opt.zero_grad();
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
    losses.push_back(loss);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    // CHECK-FIXES: losses.push_back(loss.detach());
  }
}

#define KEEP(Value) losses.push_back(Value)
void bad_in_macro(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  std::vector<Tensor> losses;
  for (const auto &b : data) {
    opt.zero_grad();
    Tensor loss = torch::mse_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
    KEEP(loss);
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
    // CHECK-FIXES: KEEP(loss);
  }
}

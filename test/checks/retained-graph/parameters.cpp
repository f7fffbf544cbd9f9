// RUN: %check %s torch-retained-graph
//
// Parameters require grad: what is computed from them has history.

#include "../Inputs/net.h"

class WeightAverage {
public:
  WeightAverage(const Net &net, double decay) : decay_(decay) {
    for (const auto &p : net.parameters())
      shadow_.push_back(p.detach().clone());
  }
  void bad_update(const Net &net) {
    const auto params = net.parameters();
    for (size_t i = 0; i < shadow_.size(); ++i)
      shadow_[i] = decay_ * shadow_[i] + (1 - decay_) * params[i];
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
  void ok_guarded(const Net &net) {
    torch::NoGradGuard no_grad;
    const auto params = net.parameters();
    for (size_t i = 0; i < other_.size(); ++i)
      other_[i] = decay_ * other_[i] + (1 - decay_) * params[i];
  }
  void ok_detached(const Net &net) {
    const auto params = net.parameters();
    for (size_t i = 0; i < third_.size(); ++i)
      third_[i] = decay_ * third_[i] + (1 - decay_) * params[i].detach();
  }

private:
  double decay_;
  std::vector<Tensor> shadow_, other_, third_;
};

void run(Net &net, const Batches &data) {
  WeightAverage average(net, 0.999);
  for (const auto &b : data) {
    torch::mse_loss(net.forward(b.x), b.y).backward();
    average.bad_update(net);
    average.ok_guarded(net);
    average.ok_detached(net);
  }
}

void bad_norms(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  std::vector<Tensor> norms;
  for (const auto &b : data) {
    opt.zero_grad();
    torch::mse_loss(net.forward(b.x), b.y).backward();
    opt.step();
    norms.push_back(net.parameters()[0].norm());
    // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-retained-graph]
  }
}

// One element per parameter, whose sum is differentiated or dropped.
void ok_penalty(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  for (const auto &b : data) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    auto params = net.parameters();
    for (size_t i = 0; i < params.size(); ++i)
      loss = loss + 0.01 * params[i].pow(2).sum();
    loss.backward();
    opt.step();
  }
}
double ok_norm_of_all(Net &net) {
  Tensor total = torch::zeros({1});
  auto params = net.parameters();
  for (size_t i = 0; i < params.size(); ++i)
    total = total + params[i].pow(2).sum();
  for (auto &p : net.named_parameters())
    total += p.value().abs().sum();
  return total.item<double>();
}

// Once over the models: each element gets one more per model.
void ok_gradients(Net &net, std::vector<Tensor> &kept) {
  for (const auto &p : net.parameters())
    kept.push_back(p.grad());
}
void ok_values(Net &net, std::vector<Tensor> &kept) {
  for (const auto &p : net.parameters())
    kept.push_back(p.data().clone());
}

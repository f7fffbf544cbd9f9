// RUN: %check %s torch-missing-no-grad
//
// Modules of the project that own no parameter are functions.

#include "../Inputs/net.h"

#include <string>

struct FocalLoss : torch::nn::Module {
  explicit FocalLoss(float gamma) : gamma(gamma), name("focal") {}
  Tensor forward(Tensor p, Tensor y) {
    auto base = torch::nn::BCELoss()(p, y);
    return torch::mean(base * torch::pow(1 - p, gamma));
  }
  float gamma;
  std::string name;
};

struct TwoLosses : torch::nn::Module {
  Tensor forward(Tensor p, Tensor y) {
    return focal.forward(p, y) + smooth->forward(p, y);
  }
  FocalLoss focal{2};
  torch::nn::MSELoss smooth;
};

float ok_constants(Tensor p, Tensor y) {
  FocalLoss focal(2);
  TwoLosses both;
  return focal.forward(p, y).item<float>() + both.forward(p, y).item<float>();
}

float bad_over_a_network(Net &net, Tensor x, Tensor y) {
  FocalLoss focal(2);
  return focal.forward(net.forward(x), y).item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

void ok_training(Net &net, torch::optim::Optimizer &opt, const Batches &data) {
  TwoLosses both;
  for (const auto &b : data) {
    opt.zero_grad();
    both.forward(net.forward(b.x), b.y).backward();
    opt.step();
  }
}

// What it owns is known to the constructor alone.
Tensor through(torch::nn::Module &children, Tensor x);
struct Registered : torch::nn::Module {
  Registered() { register_module("l", torch::nn::Linear(2, 2)); }
  Tensor forward(Tensor x) { return through(*this, x); }
};
float bad_registered(Registered &net, Tensor x) {
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

struct Scaled : torch::nn::Module {
  Tensor forward(Tensor x) { return x * scale; }
  Tensor scale;
};
float bad_tensor(Scaled &net, Tensor x) {
  return net.forward(x).max().item<float>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

// A result whose class may hold what it was given.
struct Distribution {
  virtual ~Distribution() = default;
  virtual Tensor probs() const = 0;
};
struct Output : torch::nn::Module {
  virtual std::unique_ptr<Distribution> forward(Tensor x);
  torch::nn::Linear l{nullptr};
};
Tensor ok_in_an_object(Net &net, Output &out, Tensor x) {
  auto features = net.forward(x);
  auto d = out.forward(features);
  return d->probs();
}

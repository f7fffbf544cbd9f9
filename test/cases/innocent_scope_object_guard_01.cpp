#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(5, 2)); }
  torch::Tensor forward(torch::Tensor x) { return a(x); }
};

using NoTape = torch::NoGradGuard;

struct EvalScope {
  explicit EvalScope(Net& n) : net(n) { net.eval(); }
  ~EvalScope() { net.train(); }
  Net& net;
  NoTape no_tape;
};

int64_t count(Net& net, const torch::Tensor& x) {
  EvalScope scope(net);
  return net.forward(x).argmax(1).sum().item<int64_t>();
}

int64_t count_shared(Net& net, const torch::Tensor& x) {
  auto guard = std::make_shared<torch::NoGradGuard>();
  return net.forward(x).argmax(1).sum().item<int64_t>();
}

double mean(Net& net, const std::vector<torch::Tensor>& xs) {
  std::optional<EvalScope> scope;
  scope.emplace(net);
  double sum = 0;
  for (const auto& x : xs) sum += net.forward(x).mean().item<double>();
  return sum / xs.size();
}

int main() {
  Net net;
  std::cout << count(net, torch::rand({3, 5})) + count_shared(net, torch::rand({3, 5})) << mean(net, {torch::rand({3, 5})});
}

#include <torch/torch.h>
#include <iostream>
#include <string>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(2, 2)); }
  torch::Tensor forward(torch::Tensor x) { return torch::softmax(f(x), 1); }
};

constexpr bool kProduction = false;

// The guard is switched off by its argument in this build.
int run(Net& net, const std::vector<torch::Tensor>& requests) {
  net.eval();
  int accepted = 0;
  for (const auto& r : requests) {
    c10::InferenceMode mode(kProduction);
    auto p = net.forward(r);  // EXPECT: missing-no-grad
    if (p[0][1].item<float>() > 0.5f) ++accepted;
  }
  return accepted;
}

int main() {
  Net net;
  std::cout << run(net, std::vector<torch::Tensor>(100, torch::rand({1, 2}))) << '\n';
}

#include <torch/torch.h>
#include <iostream>
#include <memory>
struct NetImpl : torch::nn::Module {
  NetImpl() : a(16, 32), b(32, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(a(x))).squeeze(1); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
static double rmse(Net& net, const torch::Tensor& x, const torch::Tensor& y) {
  net->eval();
  c10::InferenceMode{true};
  auto out = net->forward(x);
  return (out - y).pow(2).mean().sqrt().item<double>();
}
static double mae(Net& net, const torch::Tensor& x, const torch::Tensor& y) {
  net->eval();
  std::make_unique<torch::NoGradGuard>();
  double s = 0;
  for (int64_t i = 0; i < x.size(0); i += 32) {
    auto out = net->forward(x.slice(0, i, i + 32));
    s += (out - y.slice(0, i, i + 32)).abs().sum().item<double>();
  }
  return s / x.size(0);
}
int main() {
  Net net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  auto x = torch::randn({1024, 16}), y = x.sum(1);
  for (int e = 0; e < 100; ++e) {
    net->train();
    for (int64_t i = 0; i < 1024; i += 64) {
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x.slice(0, i, i + 64)), y.slice(0, i, i + 64));
      loss.backward();
      opt.step();
    }
    std::cout << rmse(net, x, y) << " " << mae(net, x, y) << "\n";
  }
}

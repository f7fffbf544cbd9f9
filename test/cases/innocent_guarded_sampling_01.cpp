#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct NoisePredictor : torch::nn::Module {
  torch::nn::Conv2d a{nullptr}, b{nullptr};
  NoisePredictor() {
    a = register_module("a", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 8, 3).padding(1)));
    b = register_module("b", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 1, 3).padding(1)));
  }
  Tensor forward(Tensor x) { return b(torch::silu(a(x))); }
};

std::vector<Tensor> sample(NoisePredictor& net, int steps) {
  c10::InferenceMode inference;
  net.eval();
  std::vector<Tensor> trajectory;
  auto frames = torch::empty({steps, 28, 28});
  Tensor x = torch::randn({1, 1, 28, 28});
  for (int t = steps; t-- > 0;) {
    const auto eps = net.forward(x);
    x = x - eps / steps + (t ? torch::randn_like(x) * 0.01 : torch::zeros_like(x));
    trajectory.push_back(x);
    frames[t] = x[0][0];
  }
  std::cout << frames.mean().item<float>() << '\n';
  return trajectory;
}

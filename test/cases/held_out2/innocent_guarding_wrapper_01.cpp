#include <torch/torch.h>
#include <iostream>
#include <utility>
#include <vector>

// Runs a callable without gradients and gives back what it gives back.
template <typename F, typename... Args>
decltype(auto) without_grad(F&& f, Args&&... args) {
  torch::NoGradGuard guard;
  return std::forward<F>(f)(std::forward<Args>(args)...);
}

struct Regressor : torch::nn::Module {
  Regressor() { net = register_module("net", torch::nn::Sequential(torch::nn::Linear(3, 16), torch::nn::Tanh(), torch::nn::Linear(16, 1))); }
  torch::Tensor forward(torch::Tensor x) { return net->forward(x); }
  torch::nn::Sequential net{nullptr};
};

double rmse(Regressor& model, const torch::Tensor& x, const torch::Tensor& y) {
  return torch::mse_loss(model.forward(x), y).sqrt().item<double>();
}

int main() {
  Regressor model;
  torch::optim::LBFGS optimizer(model.parameters());
  auto x = torch::rand({256, 3}), y = x.sum(1, true);
  for (int i = 0; i < 50; ++i) {
    auto closure = [&]() {
      optimizer.zero_grad();
      auto loss = torch::mse_loss(model.forward(x), y);
      loss.backward();
      return loss;
    };
    optimizer.step(closure);
    auto error = without_grad([&] { return rmse(model, x, y); });
    auto worst = without_grad([&](const torch::Tensor& in) { return (model.forward(in) - y).abs().max().item<double>(); }, x);
    std::cout << error << ' ' << worst << '\n';
  }
}

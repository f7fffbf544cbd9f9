#include <torch/torch.h>
#include <iostream>

// Physics-informed network for u' = -u, u(0) = 1, trained with LBFGS.
struct PinnImpl : torch::nn::Module {
  PinnImpl() {
    net = register_module("net", torch::nn::Sequential(torch::nn::Linear(1, 32), torch::nn::Tanh(),
                                                       torch::nn::Linear(32, 32), torch::nn::Tanh(),
                                                       torch::nn::Linear(32, 1)));
  }
  torch::Tensor forward(const torch::Tensor& t) { return net->forward(t); }
  torch::nn::Sequential net{nullptr};
};
TORCH_MODULE(Pinn);

torch::Tensor residual(Pinn& model, const torch::Tensor& t) {
  auto u = model->forward(t);
  auto du = torch::autograd::grad({u.sum()}, {t}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  return du + u;
}

int main() {
  Pinn model;
  auto t = torch::linspace(0, 2, 200).unsqueeze(1).requires_grad_(true);
  auto t0 = torch::zeros({1, 1});
  torch::optim::LBFGS opt(model->parameters(), torch::optim::LBFGSOptions(0.8).max_iter(20).history_size(50));

  auto closure = [&]() -> torch::Tensor {
    auto loss = residual(model, t).square().mean() + (model->forward(t0) - 1.0).square().mean();
    loss.backward();
    return loss;
  };
  for (int i = 0; i < 200; ++i) {
    auto loss = opt.step(closure);
    if (i % 20 == 0) std::cout << i << ' ' << loss.item<double>() << '\n';
  }
}

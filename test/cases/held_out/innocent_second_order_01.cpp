#include <torch/torch.h>
#include <vector>

using torch::Tensor;

// Hessian-vector products and a physics-informed residual: gradients of gradients, each used at once.
Tensor hessian_vector(torch::nn::Linear net, const Tensor& x, const Tensor& v) {
  auto y = torch::tanh(net->forward(x)).sum();
  auto g = torch::autograd::grad({y}, {net->weight}, {}, true, true)[0];
  return torch::autograd::grad({(g * v).sum()}, {net->weight})[0];
}

double top_eigenvalue(torch::nn::Linear net, const Tensor& x, int iterations) {
  auto v = torch::randn_like(net->weight);
  double value = 0;
  for (int i = 0; i < iterations; ++i) {
    auto hv = hessian_vector(net, x, v);
    value = (v * hv).sum().item<double>();
    v = hv / hv.norm();
  }
  return value;
}

void pinn(torch::nn::Sequential net, torch::optim::Optimizer& opt, int steps) {
  for (int i = 0; i < steps; ++i) {
    auto t = torch::rand({128, 1}, torch::requires_grad());
    auto u = net->forward(t);
    auto du = torch::autograd::grad({u}, {t}, {torch::ones_like(u)}, true, true)[0];
    auto residual = (du + u).square().mean();
    auto boundary = (net->forward(torch::zeros({1, 1})) - 1).square().sum();
    opt.zero_grad();
    (residual + boundary).backward();
    opt.step();
  }
}

#include <torch/torch.h>
#include <array>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear trunk{nullptr}, depth{nullptr}, normals{nullptr};
  Net() {
    trunk = register_module("trunk", torch::nn::Linear(20, 20));
    depth = register_module("depth", torch::nn::Linear(20, 1));
    normals = register_module("normals", torch::nn::Linear(20, 3));
  }
};

// Gradient surgery and loss balancing look at gradients several times per step, and step once.
void train(Net& net, torch::optim::Optimizer& opt, const std::vector<std::array<Tensor, 3>>& data) {
  Tensor weights = torch::ones({2});
  for (const auto& [x, d, n] : data) {
    auto h = torch::relu(net.trunk(x));
    std::array<Tensor, 2> losses{torch::l1_loss(net.depth(h), d), torch::mse_loss(net.normals(h), n)};
    std::array<Tensor, 2> norms;
    for (size_t i = 0; i < losses.size(); ++i)
      norms[i] = torch::autograd::grad({losses[i]}, {net.trunk->weight}, {}, /*retain_graph=*/true)[0].norm();
    auto mean = (norms[0] + norms[1]) / 2;
    weights = 0.9 * weights + 0.1 * torch::stack({mean / (norms[0] + 1e-8), mean / (norms[1] + 1e-8)});
    auto total = weights[0] * losses[0] + weights[1] * losses[1];
    opt.zero_grad();
    total.backward();
    opt.step();
  }
}

// Sharpness-aware minimisation: two backwards per step, gradients cleared in between.
void sharpness_aware(Net& net, torch::optim::Optimizer& opt, const Tensor& x, const Tensor& y, int steps) {
  for (int s = 0; s < steps; ++s) {
    opt.zero_grad();
    torch::mse_loss(net.depth(net.trunk(x)), y).backward();
    std::vector<Tensor> moves;
    {
      torch::NoGradGuard no_grad;
      for (auto& p : net.parameters()) {
        moves.push_back(p.grad().defined() ? 0.05 * p.grad() / (p.grad().norm() + 1e-12) : torch::zeros_like(p));
        p.add_(moves.back());
      }
    }
    opt.zero_grad();
    torch::mse_loss(net.depth(net.trunk(x)), y).backward();
    {
      torch::NoGradGuard no_grad;
      size_t i = 0;
      for (auto& p : net.parameters()) p.sub_(moves[i++]);
    }
    opt.step();
  }
}

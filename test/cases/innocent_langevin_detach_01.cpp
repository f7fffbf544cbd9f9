#include <torch/torch.h>
#include <cmath>
#include <vector>

struct EnergyImpl : torch::nn::Module {
  torch::nn::Sequential mlp{nullptr};
  EnergyImpl() {
    mlp = register_module("mlp", torch::nn::Sequential(torch::nn::Linear(2, 32), torch::nn::Softplus(), torch::nn::Linear(32, 1)));
  }
  torch::Tensor forward(torch::Tensor x) { return mlp->forward(x).squeeze(-1); }
};
TORCH_MODULE(Energy);

// Chains of a trained energy model; the gradient with respect to x is wanted.
std::vector<torch::Tensor> langevin(Energy energy, torch::Tensor x, int steps, double eta) {
  energy->eval();
  for (auto& p : energy->parameters()) p.requires_grad_(false);
  std::vector<torch::Tensor> chain;
  for (int i = 0; i < steps; ++i) {
    x = x.detach().requires_grad_(true);
    auto e = energy->forward(x).sum();
    auto g = torch::autograd::grad({e}, {x})[0];
    x = (x - eta * g + std::sqrt(2 * eta) * torch::randn_like(x)).detach();
    chain.push_back(x);
  }
  return chain;
}

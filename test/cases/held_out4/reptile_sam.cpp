#include <torch/torch.h>
#include <iostream>
struct NetImpl : torch::nn::Module {
  NetImpl() : a(1, 64), b(64, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::tanh(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
class SAM {
 public:
  SAM(std::vector<torch::Tensor> p, double rho) : params_(p), base_(p, torch::optim::SGDOptions(0.01).momentum(0.9)), rho_(rho) {}
  void first_step() {
    torch::NoGradGuard no_grad;
    auto norm = torch::zeros({});
    for (auto& p : params_) norm += p.grad().pow(2).sum();
    auto scale = rho_ / (norm.sqrt() + 1e-12);
    eps_.clear();
    for (auto& p : params_) {
      eps_.push_back(p.grad() * scale);
      p.add_(eps_.back());
    }
    base_.zero_grad();
  }
  void second_step() {
    {
      torch::NoGradGuard no_grad;
      for (size_t i = 0; i < params_.size(); ++i) params_[i].sub_(eps_[i]);
    }
    base_.step();
    base_.zero_grad();
  }
 private:
  std::vector<torch::Tensor> params_, eps_;
  torch::optim::SGD base_;
  double rho_;
};
int main() {
  Net net;
  SAM sam(net->parameters(), 0.05);
  for (int i = 0; i < 1000; ++i) {
    auto x = torch::rand({64, 1}) * 6 - 3, y = x.sin();
    torch::mse_loss(net(x), y).backward();
    sam.first_step();
    torch::mse_loss(net(x), y).backward();
    sam.second_step();
  }
  // Reptile from there
  for (int outer = 0; outer < 500; ++outer) {
    std::vector<torch::Tensor> before;
    for (auto& p : net->parameters()) before.push_back(p.detach().clone());
    torch::optim::SGD inner(net->parameters(), 0.02);
    double phase = torch::rand({1}).item<double>() * 6.28;
    for (int k = 0; k < 8; ++k) {
      auto x = torch::rand({10, 1}) * 10 - 5;
      inner.zero_grad();
      torch::mse_loss(net(x), (x + phase).sin()).backward();
      inner.step();
    }
    torch::NoGradGuard no_grad;
    auto ps = net->parameters();
    for (size_t i = 0; i < ps.size(); ++i) ps[i].copy_(before[i] + 0.1 * (ps[i] - before[i]));
  }
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

class Linear {
 public:
  Linear(int64_t in, int64_t out) : w(torch::randn({in, out}) / std::sqrt(double(in))), b(torch::zeros({out})) {
    w.set_requires_grad(true);
    b.set_requires_grad(true);
  }
  torch::Tensor operator()(const torch::Tensor& x) const { return x.mm(w) + b; }
  std::vector<torch::Tensor> parameters() const { return {w, b}; }

 private:
  torch::Tensor w, b;
};

class MomentumSGD {
 public:
  MomentumSGD(std::vector<torch::Tensor> params, double lr, double mu) : params_(std::move(params)), lr_(lr), mu_(mu) {
    for (auto& p : params_) velocity_.push_back(torch::zeros_like(p));
  }
  void apply() {
    torch::NoGradGuard no_grad;
    for (size_t i = 0; i < params_.size(); ++i) {
      auto& p = params_[i];
      if (!p.grad().defined()) continue;
      velocity_[i] = mu_ * velocity_[i] + p.grad();
      p -= lr_ * velocity_[i];
      p.mutable_grad().reset();
    }
  }

 private:
  std::vector<torch::Tensor> params_, velocity_;
  double lr_, mu_;
};

int main() {
  torch::manual_seed(9);
  Linear l1(1, 64), l2(64, 64), l3(64, 1);
  std::vector<torch::Tensor> params;
  for (auto* l : {&l1, &l2, &l3})
    for (auto& p : l->parameters()) params.push_back(p);
  MomentumSGD sgd(params, 1e-2, 0.9);

  auto x = torch::linspace(-3, 3, 512).unsqueeze(1);
  auto y = torch::sin(2 * x) + 0.1 * torch::randn_like(x);
  for (int epoch = 0; epoch < 2000; ++epoch) {
    auto idx = torch::randint(512, {64}, torch::kLong);
    auto pred = l3(torch::tanh(l2(torch::tanh(l1(x.index_select(0, idx))))));
    auto loss = (pred - y.index_select(0, idx)).pow(2).mean();
    loss.backward();
    sgd.apply();
    if (epoch % 100 == 0) std::cout << epoch << " " << loss.item<float>() << "\n";
  }

  // polish a small polynomial with plain gradient descent
  auto coeff = torch::zeros({4}, torch::requires_grad());
  auto basis = torch::stack({torch::ones_like(x), x, x.pow(2), x.pow(3)}).squeeze(2).t();
  for (int i = 0; i < 1000; ++i) {
    auto loss = (basis.matmul(coeff).unsqueeze(1) - y).pow(2).mean();
    loss.backward();
    {
      torch::NoGradGuard no_grad;
      coeff.sub_(1e-3 * coeff.grad());
      coeff.mutable_grad() = torch::Tensor();
    }
  }
  std::cout << coeff << std::endl;
}

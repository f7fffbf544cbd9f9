#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <vector>

// Full-batch training with LBFGS, started by a few steps of Adam.
class SurrogateFit {
 public:
  SurrogateFit(torch::Tensor x, torch::Tensor y) : x_(std::move(x)), y_(std::move(y)) {
    net_ = torch::nn::Sequential(torch::nn::Linear(x_.size(1), 50), torch::nn::Tanh(), torch::nn::Linear(50, 1));
    adam_ = std::make_unique<torch::optim::Adam>(net_->parameters(), 1e-3);
    lbfgs_ = std::make_unique<torch::optim::LBFGS>(net_->parameters(),
                                                   torch::optim::LBFGSOptions(1.0).line_search_fn("strong_wolfe"));
  }

  void run(int warmup, int rounds) {
    for (int i = 0; i < warmup; ++i) advance(*adam_);
    for (int i = 0; i < rounds; ++i) advance(*lbfgs_);
  }
  const std::vector<double>& curve() const { return curve_; }

 private:
  torch::Tensor evaluate() { return torch::mse_loss(net_->forward(x_), y_); }

  void advance(torch::optim::Optimizer& opt) {
    auto loss = opt.step([&] {
      opt.zero_grad();
      auto l = evaluate();
      l.backward();
      return l;
    });
    curve_.push_back(loss.item<double>());
  }

  torch::Tensor x_, y_;
  torch::nn::Sequential net_{nullptr};
  std::unique_ptr<torch::optim::Optimizer> adam_, lbfgs_;
  std::vector<double> curve_;
};

int main() {
  auto x = torch::rand({500, 4});
  SurrogateFit fit(x, (x * x).sum(1, true).sqrt());
  fit.run(200, 100);
  std::cout << fit.curve().front() << " -> " << fit.curve().back() << '\n';
}

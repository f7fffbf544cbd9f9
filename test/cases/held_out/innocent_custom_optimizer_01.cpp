#include <torch/torch.h>
#include <cmath>
#include <vector>

using torch::Tensor;

// Adam by hand. Gradients have no history, so neither have the moments.
class MyAdam {
 public:
  MyAdam(std::vector<Tensor> parameters, double rate) : parameters_(std::move(parameters)), rate_(rate) {
    for (const auto& p : parameters_) {
      m_.push_back(torch::zeros_like(p));
      v_.push_back(torch::zeros_like(p));
    }
  }

  void zero_grad() {
    for (auto& p : parameters_)
      if (p.grad().defined()) p.mutable_grad() = Tensor();
  }

  void step() {
    ++t_;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      const Tensor g = parameters_[i].grad();
      if (!g.defined()) continue;
      m_[i] = 0.9 * m_[i] + 0.1 * g;
      v_[i] = 0.999 * v_[i] + 0.001 * g * g;
      auto update = m_[i] / (1 - std::pow(0.9, t_)) / ((v_[i] / (1 - std::pow(0.999, t_))).sqrt() + 1e-8);
      torch::NoGradGuard no_grad;
      parameters_[i] -= rate_ * update;
    }
  }

 private:
  std::vector<Tensor> parameters_, m_, v_;
  double rate_;
  int t_ = 0;
};

int main() {
  torch::nn::Linear net(3, 1);
  MyAdam adam(net->parameters(), 1e-2);
  for (int i = 0; i < 1000; ++i) {
    adam.zero_grad();
    auto x = torch::rand({32, 3});
    torch::mse_loss(net(x), x.sum(1, true)).backward();
    adam.step();
  }
}

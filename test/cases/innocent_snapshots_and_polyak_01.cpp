#include <torch/torch.h>
#include <limits>
#include <memory>
#include <vector>

using torch::Tensor;

struct Critic : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Critic() { f = register_module("f", torch::nn::Linear(6, 1)); }
  Tensor forward(Tensor x) { return f(x); }
};

class Learner {
 public:
  void learn(const Tensor& s, const Tensor& r, const Tensor& next) {
    Tensor target;
    {
      torch::NoGradGuard no_grad;
      target = r + 0.99 * slow_->forward(next);
    }
    auto loss = torch::mse_loss(fast_->forward(s), target);
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    soft_update(0.005);
    clip(0.5);
    if (loss.item<double>() < best_loss_) {
      best_loss_ = loss.item<double>();
      best_.clear();
      for (const auto& p : fast_->parameters()) best_.push_back(p.detach().clone());
    }
  }

 private:
  void soft_update(double tau) {
    torch::NoGradGuard no_grad;
    auto from = fast_->parameters(), to = slow_->parameters();
    for (size_t i = 0; i < from.size(); ++i) to[i].copy_(tau * from[i] + (1 - tau) * to[i]);
  }
  void clip(double limit) {
    for (auto& p : fast_->parameters()) p.data().clamp_(-limit, limit);
  }

  std::shared_ptr<Critic> fast_ = std::make_shared<Critic>(), slow_ = std::make_shared<Critic>();
  torch::optim::Adam opt_{fast_->parameters(), 1e-3};
  std::vector<Tensor> best_;
  double best_loss_ = std::numeric_limits<double>::max();
};

#include <torch/torch.h>
#include <vector>

// MoCo: the queue of keys comes from an encoder that follows the trained one.
class MomentumContrast {
 public:
  MomentumContrast(torch::nn::Linear query, torch::nn::Linear key) : query_(query), key_(key), queue_(torch::randn({16, 4096})) {
    auto from = query_->parameters(), to = key_->parameters();
    for (size_t i = 0; i < from.size(); ++i) {
      to[i].data().copy_(from[i].data());
      to[i].set_requires_grad(false);
    }
  }

  torch::Tensor loss(const torch::Tensor& view1, const torch::Tensor& view2) {
    auto q = torch::nn::functional::normalize(query_(view1));
    torch::Tensor k;
    {
      torch::NoGradGuard no_grad;
      follow();
      k = torch::nn::functional::normalize(key_(view2));
    }
    auto positive = (q * k).sum(1, true);
    auto negative = q.mm(queue_.clone());
    enqueue(k);
    auto logits = torch::cat({positive, negative}, 1) / 0.07;
    return torch::nn::functional::cross_entropy(logits, torch::zeros({logits.size(0)}, torch::kLong));
  }

 private:
  void follow() {
    auto from = query_->parameters(), to = key_->parameters();
    for (size_t i = 0; i < to.size(); ++i) to[i].mul_(0.999).add_(from[i], 0.001);
  }
  void enqueue(const torch::Tensor& keys) {
    const auto n = keys.size(0);
    queue_.narrow(1, at_, n).copy_(keys.t());
    at_ = (at_ + n) % queue_.size(1);
  }
  torch::nn::Linear query_, key_;
  torch::Tensor queue_;
  int64_t at_ = 0;
};

void train(MomentumContrast& moco, torch::optim::Optimizer& opt, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& views) {
  for (const auto& [a, b] : views) {
    auto loss = moco.loss(a, b);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

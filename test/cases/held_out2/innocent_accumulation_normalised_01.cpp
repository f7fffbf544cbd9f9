#include <torch/torch.h>
#include <functional>
#include <vector>

struct Config {
  int accumulate = 8;
  double lr = 1e-4;
};

// Four spellings of a mean over micro-batches.
class Accumulator {
 public:
  Accumulator(torch::nn::Sequential net, Config config) : net_(net), config_(config), opt_(net_->parameters(), config.lr) {}

  void divided(const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys) {
    for (size_t i = 0; i < xs.size(); ++i) {
      (torch::mse_loss(net_->forward(xs[i]), ys[i]) / config_.accumulate).backward();
      maybe_step(i);
    }
  }
  void weighted(const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys) {
    const double weight = 1.0 / config_.accumulate;
    auto scaled = [weight](const torch::Tensor& loss) { return loss * weight; };
    for (size_t i = 0; i < xs.size(); ++i) {
      auto loss = scaled(torch::l1_loss(net_->forward(xs[i]), ys[i]));
      loss.backward();
      maybe_step(i);
    }
  }
  void by_share(const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys, int64_t total) {
    opt_.zero_grad();
    for (size_t i = 0; i < xs.size(); ++i) {
      auto share = static_cast<double>(xs[i].size(0)) / total;
      auto loss = torch::nn::functional::cross_entropy(net_->forward(xs[i]), ys[i]);
      loss.mul(share).backward();
    }
    opt_.step();
  }
  void through(const std::function<torch::Tensor(size_t)>& loss_of, size_t n) {
    opt_.zero_grad();
    for (size_t i = 0; i < n; ++i) normalise(loss_of(i), n).backward();
    opt_.step();
  }

 private:
  static torch::Tensor normalise(torch::Tensor loss, size_t n) { return loss.div(static_cast<double>(n)); }
  void maybe_step(size_t i) {
    if ((i + 1) % config_.accumulate) return;
    opt_.step();
    opt_.zero_grad();
  }
  torch::nn::Sequential net_;
  Config config_;
  torch::optim::Adam opt_;
};

// A trainer that prints an exponentially smoothed loss.
#include <torch/torch.h>

#include <cstdio>
#include <memory>

namespace {

struct Regressor : torch::nn::Module {
  Regressor(int64_t in, int64_t hidden)
      : body(torch::nn::Linear(in, hidden), torch::nn::SiLU(), torch::nn::Linear(hidden, 1)) {
    register_module("body", body);
  }
  torch::Tensor forward(const torch::Tensor& x) { return body->forward(x).squeeze(-1); }
  torch::nn::Sequential body;
};

class SmoothTrainer {
 public:
  explicit SmoothTrainer(std::shared_ptr<Regressor> net)
      : net_(std::move(net)), opt_(net_->parameters(), torch::optim::SGDOptions(1e-2).momentum(0.9)) {}

  void train_batch(const torch::Tensor& x, const torch::Tensor& y) {
    opt_.zero_grad();
    torch::Tensor loss = torch::smooth_l1_loss(net_->forward(x), y);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net_->parameters(), 5.0);
    opt_.step();

    if (!smoothed_.defined())
      smoothed_ = loss.detach();
    else
      smoothed_ = 0.98 * smoothed_ + 0.02 * loss;  // EXPECT: retained-graph
    if (++seen_ % 100 == 0) std::printf("step %ld  loss %.5f\n", seen_, smoothed_.item<double>());
  }

  long seen() const { return seen_; }

 private:
  std::shared_ptr<Regressor> net_;
  torch::optim::SGD opt_;
  torch::Tensor smoothed_;
  long seen_ = 0;
};

}  // namespace

int main() {
  auto net = std::make_shared<Regressor>(13, 64);
  SmoothTrainer trainer(net);
  while (trainer.seen() < 20000) {
    auto x = torch::randn({128, 13});
    trainer.train_batch(x, x.sum(1).tanh());
  }
}

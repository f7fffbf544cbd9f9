#include <torch/torch.h>
#include <memory>

class Trainer {
 public:
  Trainer(torch::nn::Sequential net, int accumulate) : net_(net), accumulate_(accumulate) {
    optimizer_ = std::make_unique<torch::optim::SGD>(net_->parameters(), 0.01);
  }

  double train_step(const torch::Tensor& x, const torch::Tensor& y) {
    auto loss = criterion_(net_->forward(x), y);
    loss.backward();  // EXPECT: unscaled-accumulation
    if (++seen_ % accumulate_ == 0) update();
    return loss.item<double>();
  }

 private:
  void update() {
    optimizer_->step();
    optimizer_->zero_grad();
  }

  torch::nn::Sequential net_;
  torch::nn::CrossEntropyLoss criterion_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  int accumulate_;
  int64_t seen_ = 0;
};

int main() {
  Trainer trainer(torch::nn::Sequential(torch::nn::Linear(10, 10), torch::nn::ReLU(), torch::nn::Linear(10, 2)), 16);
  for (int i = 0; i < 10000; ++i) trainer.train_step(torch::rand({4, 10}), torch::randint(0, 2, {4}, torch::kLong));
}

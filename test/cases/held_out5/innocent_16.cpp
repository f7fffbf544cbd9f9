#include <torch/torch.h>
#include <iostream>
#include <memory>

// Knows when to step; derived classes know the model and the loss.
class TrainerBase {
 public:
  TrainerBase(int64_t accumulate) : accumulate_(accumulate) {}
  virtual ~TrainerBase() = default;

  void run(int64_t iterations) {
    for (int64_t i = 0; i < iterations; ++i) {
      auto loss = training_step(i);
      manual_backward(loss);
      if ((i + 1) % accumulate_ == 0) optimizer_step();
    }
  }

 protected:
  virtual torch::Tensor training_step(int64_t index) = 0;
  virtual torch::optim::Optimizer& optimizer() = 0;

  void manual_backward(torch::Tensor loss) {
    if (accumulate_ > 1) loss = loss / static_cast<double>(accumulate_);
    loss.backward();
  }
  void optimizer_step() {
    optimizer().step();
    optimizer().zero_grad();
  }

 private:
  int64_t accumulate_;
};

class DenoiserTrainer : public TrainerBase {
 public:
  DenoiserTrainer() : TrainerBase(8), opt_(net_->parameters(), 1e-3) {}

 protected:
  torch::Tensor training_step(int64_t index) override {
    auto clean = torch::rand({2, 1, 64, 64});
    auto loss = torch::mse_loss(net_->forward(clean + 0.1 * torch::randn_like(clean)), clean);
    if (index % 100 == 0) std::cout << index << ' ' << loss.item<float>() << '\n';
    return loss;
  }
  torch::optim::Optimizer& optimizer() override { return opt_; }

 private:
  torch::nn::Sequential net_{torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 32, 3).padding(1)), torch::nn::ReLU(),
                             torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 1, 3).padding(1))};
  torch::optim::Adam opt_;
};

int main() {
  std::unique_ptr<TrainerBase> trainer = std::make_unique<DenoiserTrainer>();
  trainer->run(8000);
}

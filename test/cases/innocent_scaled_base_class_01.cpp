#include <torch/torch.h>
#include <memory>

class TrainerBase {
 public:
  TrainerBase(std::shared_ptr<torch::optim::Optimizer> opt, int window) : opt_(std::move(opt)), window_(window) {}
  virtual ~TrainerBase() = default;

  void feed(const torch::Tensor& x, const torch::Tensor& y) {
    torch::Tensor loss = scaled(compute_loss(x, y));
    loss.backward();
    if (++count_ == window_) {
      opt_->step();
      opt_->zero_grad();
      count_ = 0;
    }
  }

 protected:
  virtual torch::Tensor compute_loss(const torch::Tensor& x, const torch::Tensor& y) = 0;
  torch::Tensor scaled(const torch::Tensor& loss) const { return loss.mul(1.f / static_cast<float>(window_)); }

 private:
  std::shared_ptr<torch::optim::Optimizer> opt_;
  int window_, count_ = 0;
};

class Regression : public TrainerBase {
 public:
  Regression(torch::nn::Linear net, int window)
      : TrainerBase(std::make_shared<torch::optim::Adam>(net->parameters()), window), net_(net) {}

 protected:
  torch::Tensor compute_loss(const torch::Tensor& x, const torch::Tensor& y) override {
    return torch::mse_loss(net_->forward(x), y);
  }

 private:
  torch::nn::Linear net_;
};

int main() {
  Regression r(torch::nn::Linear(3, 1), 8);
  for (int i = 0; i < 800; ++i) r.feed(torch::rand({4, 3}), torch::rand({4, 1}));
}

#include <torch/torch.h>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

// Loss scaling for reduced precision together with gradient accumulation.
class ScaledAccumulator {
 public:
  ScaledAccumulator(torch::optim::Optimizer& opt, std::vector<torch::Tensor> params, int window)
      : opt_(opt), params_(std::move(params)), window_(window) {}

  void backward(const torch::Tensor& loss) {
    (loss * scale_).backward();
    if (++count_ == window_) flush();
  }

 private:
  void flush() {
    bool finite = true;
    {
      torch::NoGradGuard no_grad;
      const double factor = 1.0 / (scale_ * window_);
      for (auto& p : params_) {
        if (!p.grad().defined()) continue;
        p.grad().mul_(factor);
        finite = finite && p.grad().isfinite().all().item<bool>();
      }
    }
    if (finite) {
      torch::nn::utils::clip_grad_norm_(params_, 1.0);
      opt_.step();
    }
    scale_ = finite ? std::min(scale_ * 2.0, 65536.0) : std::max(scale_ * 0.5, 1.0);
    opt_.zero_grad();
    count_ = 0;
  }

  torch::optim::Optimizer& opt_;
  std::vector<torch::Tensor> params_;
  int window_, count_ = 0;
  double scale_ = 256.0;
};

int main() {
  torch::nn::Sequential net(torch::nn::Linear(100, 200), torch::nn::ReLU(), torch::nn::Linear(200, 10));
  torch::optim::AdamW opt(net->parameters(), torch::optim::AdamWOptions(1e-3));
  ScaledAccumulator accumulator(opt, net->parameters(), 4);
  for (int i = 0; i < 40000; ++i) {
    auto x = torch::rand({8, 100});
    auto y = torch::randint(10, {8}, torch::kLong);
    auto loss = torch::cross_entropy_loss(net->forward(x), y);
    accumulator.backward(loss);
    if (i % 1000 == 0) std::cout << loss.item<float>() << '\n';
  }
}

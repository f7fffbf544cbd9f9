#include <torch/torch.h>
#include <cmath>
#include <iostream>
#include <vector>

// Dynamic loss scaling for reduced precision.
class LossScaler {
 public:
  torch::Tensor scale(const torch::Tensor& loss) const { return loss * scale_; }

  // Divides the scale out of the gradients; false if one of them overflowed.
  bool unscale(const std::vector<torch::Tensor>& params) const {
    torch::NoGradGuard no_grad;
    bool finite = true;
    for (const auto& p : params) {
      if (!p.grad().defined()) continue;
      p.grad().div_(scale_);
      finite = finite && std::isfinite(p.grad().sum().item<double>());
    }
    return finite;
  }
  void update(bool finite) { scale_ = finite ? std::min(scale_ * 1.001, 65536.0) : scale_ * 0.5; }

 private:
  double scale_ = 1024.0;
};

struct Sample {
  torch::Tensor input, target;
};

void train(torch::nn::Sequential& net, torch::optim::Optimizer& opt, const std::vector<Sample>& samples, int window) {
  LossScaler scaler;
  const auto params = net->parameters();
  int in_window = 0;
  for (const auto& s : samples) {
    auto loss = torch::l1_loss(net->forward(s.input), s.target);
    scaler.scale(loss).backward();
    if (++in_window < window) continue;
    const bool finite = scaler.unscale(params);
    if (finite) opt.step();
    scaler.update(finite);
    opt.zero_grad();
    in_window = 0;
  }
}

int main() {
  torch::nn::Sequential net(torch::nn::Linear(32, 64), torch::nn::ELU(), torch::nn::Linear(64, 32));
  torch::optim::Adam opt(net->parameters(), 1e-3);
  std::vector<Sample> samples;
  for (int i = 0; i < 512; ++i) samples.push_back({torch::rand({16, 32}), torch::rand({16, 32})});
  for (int epoch = 0; epoch < 50; ++epoch) train(net, opt, samples, 16);
}

#include <torch/torch.h>
#include <vector>

// Exponential moving average of the weights, used for evaluation.
class WeightAverage {
 public:
  WeightAverage(const torch::nn::Module& m, double decay) : decay_(decay) {
    for (const auto& p : m.parameters()) shadow_.push_back(p.detach().clone());
  }

  void update(const torch::nn::Module& m) {
    const auto params = m.parameters();
    for (size_t i = 0; i < shadow_.size(); ++i) {
      shadow_[i] = decay_ * shadow_[i] + (1.0 - decay_) * params[i];
    }
  }

  void copy_to(torch::nn::Module& m) const {
    torch::NoGradGuard no_grad;
    auto params = m.parameters();
    for (size_t i = 0; i < shadow_.size(); ++i) params[i].copy_(shadow_[i]);
  }

 private:
  double decay_;
  std::vector<torch::Tensor> shadow_;
};

int main() {
  auto make = [] {
    return torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 3).padding(1)), torch::nn::SiLU(),
                                 torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 3, 3).padding(1)));
  };
  auto net = make();
  auto ema_net = make();
  WeightAverage ema(*net, 0.999);
  torch::optim::AdamW opt(net->parameters(), 2e-4);

  for (int step = 0; step < 50000; ++step) {
    auto clean = torch::rand({16, 3, 32, 32});
    auto noise = torch::randn_like(clean);
    auto loss = torch::mse_loss(net->forward(clean + 0.3 * noise), noise);
    opt.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net->parameters(), 1.0);
    opt.step();
    ema.update(*net);
    if (step % 5000 == 4999) {
      ema.copy_to(*ema_net);
      torch::save(ema_net, "ema.pt");
    }
  }
}

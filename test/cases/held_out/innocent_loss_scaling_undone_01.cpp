#include <torch/torch.h>
#include <cmath>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(64, 64)); }
  torch::Tensor forward(torch::Tensor x) { return f(x); }
};

struct Config {
  int accumulate = 4;
  float inverse() const { return 1.0f / static_cast<float>(accumulate); }
};

// Loss scaling for half precision by hand, with accumulation and skipped overflows.
void train(Net& net, torch::optim::Optimizer& opt, const std::vector<torch::Tensor>& xs, const Config& config) {
  double scale = 65536;
  int filled = 0, good = 0;
  for (const auto& x : xs) {
    auto loss = torch::mse_loss(net.forward(x), x) * config.inverse();
    (loss * scale).backward();
    if (++filled < config.accumulate) continue;
    filled = 0;

    bool finite = true;
    for (auto& p : net.parameters()) {
      p.mutable_grad().mul_(1.0 / scale);
      finite = finite && p.grad().isfinite().all().item<bool>();
    }
    if (finite) {
      opt.step();
      if (++good % 2000 == 0) scale *= 2;
    } else {
      scale /= 2;
    }
    opt.zero_grad();
  }
}

#include <torch/torch.h>
#include <cmath>
#include <iostream>
#include <vector>

struct Batch {
  torch::Tensor x, y;
};

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(13, 1)); }
  torch::Tensor forward(torch::Tensor x) { return a(x); }
};

// One update per batch, except for batches that cannot be used.
int train(Net& net, torch::optim::Optimizer& opt, const std::vector<Batch>& batches, double max_norm) {
  int skipped = 0;
  for (const auto& b : batches) {
    if (b.x.size(0) == 0) continue;
    opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    if (!std::isfinite(loss.item<float>())) {
      ++skipped;
      continue;
    }
    loss.backward();
    const double norm = torch::nn::utils::clip_grad_norm_(net.parameters(), max_norm);
    if (std::isnan(norm) || std::isinf(norm)) {
      std::cerr << "gradient overflow, step skipped\n";
      ++skipped;
      continue;
    }
    opt.step();
  }
  return skipped;
}

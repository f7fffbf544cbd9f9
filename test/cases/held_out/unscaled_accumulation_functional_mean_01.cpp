#include <torch/torch.h>
#include <list>
#include <vector>

namespace F = torch::nn::functional;
using torch::Tensor;

struct Stereo : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Stereo() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(6, 1, 5).padding(2))); }
  Tensor forward(Tensor l, Tensor r) { return c(torch::cat({l, r}, 1)); }
};

struct Pair {
  Tensor left, right, disparity;
};

int train(Stereo& net, torch::optim::Optimizer& opt, std::list<Pair> pairs, int accumulate) {
  const auto options = F::SmoothL1LossFuncOptions().reduction(torch::kMean).beta(1.0);
  int updates = 0;
  while (!pairs.empty()) {
    opt.zero_grad();
    int n = 0;
    do {
      Pair p = std::move(pairs.front());
      pairs.pop_front();
      const auto loss = F::smooth_l1_loss(net.forward(p.left, p.right), p.disparity, options);
      loss.backward();  // EXPECT: unscaled-accumulation
    } while (++n < accumulate && !pairs.empty());
    opt.step();
    ++updates;
  }
  return updates;
}

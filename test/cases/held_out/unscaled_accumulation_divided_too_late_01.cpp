#include <torch/torch.h>
#include <cstdio>
#include <vector>

using torch::Tensor;
struct Batch {
  Tensor x, y;
};
using Batches = std::vector<Batch>;
struct Net : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Net() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) { return torch::relu(l->forward(x)); }
};

void accumulate(Net& net, torch::optim::Optimizer& opt, const Batches& data, int k) {
  int i = 0;
  Tensor shown = torch::zeros({});
  for (const auto& b : data) {
    auto loss = torch::cross_entropy_loss(net.forward(b.x), b.y);
    loss.backward();  // EXPECT: unscaled-accumulation
    shown += loss.detach() / k;
    if (++i == k) {
      opt.step();
      opt.zero_grad();
      std::printf("%f\n", shown.item<float>());
      shown.zero_();
      i = 0;
    }
  }
}

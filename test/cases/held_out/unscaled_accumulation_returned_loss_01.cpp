#include <torch/torch.h>
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

Tensor loss_of(Net& net, const Batch& b) { return torch::smooth_l1_loss(net.forward(b.x), b.y); }

float accumulate(Net& net, torch::optim::Optimizer& opt, const Batches& data, size_t k) {
  float last = 0;
  for (auto it = data.begin(); it != data.end();) {
    for (size_t j = 0; j < k && it != data.end(); ++j, ++it) {
      Tensor l = loss_of(net, *it);
      l.backward();  // EXPECT: unscaled-accumulation
      last = l.item<float>();
    }
    opt.step();
    opt.zero_grad();
  }
  return last;
}

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

void accumulate(Net& net, torch::optim::Adam& opt, const Batches& data, int k) {
  for (size_t i = 0; i < data.size(); ++i) {
    if (i % k == 0) net.zero_grad();
    auto out = net.forward(data[i].x);
    auto loss = (out - data[i].y).abs().mean() + 1e-3 * out.square().mean();
    loss.backward();  // EXPECT: unscaled-accumulation
    if (i % k == size_t(k - 1)) opt.step();
  }
}

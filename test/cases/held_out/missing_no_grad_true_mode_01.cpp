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

bool accept(Net& net, Tensor x) {
  torch::AutoGradMode mode(true);
  net.eval();
  auto y = net.forward(x);  // EXPECT: missing-no-grad
  return y.gt(0.5).all().item<bool>();
}

void filter(Net& net, const Batches& in, Batches& out) {
  for (const auto& b : in)
    if (accept(net, b.x)) out.push_back(b);
}

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

double epoch(Net& net, torch::optim::Optimizer& opt, const Batches& data, bool quiet) {
  Tensor total = torch::zeros({});
  for (const auto& b : data) {
    auto loss = torch::mse_loss(net.forward(b.x), b.y);
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (!quiet) total -= -loss;  // EXPECT: retained-graph
  }
  return quiet ? 0.0 : total.item<double>() / data.size();
}

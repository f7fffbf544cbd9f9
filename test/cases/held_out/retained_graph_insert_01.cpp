#include <torch/torch.h>
#include <map>
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

template <class T> void use(const T&) {}

void collect(Net& net, torch::optim::Optimizer& opt, const Batches& data) {
  std::map<size_t, Tensor> kept;
  for (size_t i = 0; i < data.size(); ++i) {
    opt.zero_grad();
    auto y = net.forward(data[i].x);
    auto loss = torch::mse_loss(y, data[i].y);
    loss.backward();
    opt.step();
    kept.insert_or_assign(i, y.to(torch::kDouble));  // EXPECT: retained-graph
  }
  use(kept);
}

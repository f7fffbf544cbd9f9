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

struct State {
  Tensor sum = torch::zeros({});
  std::vector<Tensor> all;
};

void epoch(Net& net, torch::optim::Optimizer& opt, const Batches& data, State& state) {
  for (const auto& b : data) {
    opt.zero_grad();
    auto loss = torch::l1_loss(net.forward(b.x), b.y);
    loss.backward();
    opt.step();
    state.sum = loss + state.sum;  // EXPECT: retained-graph
    state.all.push_back(state.all.empty() ? loss : 2 * loss);  // EXPECT: retained-graph
  }
}

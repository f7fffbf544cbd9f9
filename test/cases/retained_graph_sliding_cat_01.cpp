#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(20, 5)); }
  Tensor forward(Tensor x) { return f(x); }
};

// The last 64 losses as one tensor. The slice is short, its history is not.
float train(Net& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data) {
  Tensor recent = torch::zeros({64});
  for (const auto& [x, y] : data) {
    opt.zero_grad();
    auto loss = torch::cross_entropy_loss(net.forward(x), y);
    loss.backward();
    opt.step();
    recent = torch::cat({recent.slice(0, 1), loss.view({1})});  // EXPECT: retained-graph
  }
  return recent.mean().item<float>();
}

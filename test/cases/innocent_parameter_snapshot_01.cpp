#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Net() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) { return torch::relu(l->forward(x)); }
};

// One copy per parameter, not per iteration: as many as the model has.
double drift(Net& net, torch::optim::Optimizer& opt, Tensor x, Tensor y) {
  std::vector<Tensor> before;
  for (const auto& p : net.parameters()) before.push_back(p.clone());
  opt.zero_grad();
  torch::mse_loss(net.forward(x), y).backward();
  opt.step();
  double moved = 0;
  size_t i = 0;
  for (const auto& p : net.parameters()) moved += (p - before[i++]).abs().sum().item<double>();
  return moved;
}

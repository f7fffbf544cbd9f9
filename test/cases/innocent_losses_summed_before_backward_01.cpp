#include <torch/torch.h>
#include <array>
#include <vector>

using torch::Tensor;

struct MultiTask : torch::nn::Module {
  torch::nn::Linear trunk{nullptr};
  torch::nn::ModuleList heads;
  MultiTask() {
    trunk = register_module("trunk", torch::nn::Linear(32, 32));
    for (int i = 0; i < 3; ++i) heads->push_back(torch::nn::Linear(32, 1));
    register_module("heads", heads);
  }
  std::vector<Tensor> forward(Tensor x) {
    std::vector<Tensor> outs;
    auto h = torch::relu(trunk(x));
    for (const auto& m : *heads) outs.push_back(m->as<torch::nn::Linear>()->forward(h));
    return outs;
  }
};

void train(MultiTask& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, std::array<Tensor, 3>>>& data) {
  for (const auto& [x, targets] : data) {
    auto outs = net.forward(x);
    Tensor total;
    std::vector<Tensor> parts;
    for (size_t i = 0; i < outs.size(); ++i) {
      auto part = torch::mse_loss(outs[i], targets[i]);
      total = total.defined() ? total + part : part;
      parts.push_back(part);
    }
    total += 0.1 * torch::stack(parts).max();
    opt.zero_grad();
    total.backward();
    opt.step();
  }
}

#include <torch/torch.h>
#include <vector>

using torch::Tensor;
using Pairs = std::vector<std::pair<Tensor, Tensor>>;

struct Head : torch::nn::Module {
  torch::nn::Linear fc{nullptr};
  torch::nn::Dropout drop{nullptr};
  Head() {
    fc = register_module("fc", torch::nn::Linear(256, 2));
    drop = register_module("drop", torch::nn::Dropout(0.3));
  }
  Tensor forward(Tensor x) { return fc->forward(drop->forward(x)); }
};

double train_head(Head& head, torch::optim::Optimizer& opt, const Pairs& pairs) {
  std::vector<Tensor> losses;
  losses.reserve(pairs.size());
  for (const auto& [x, y] : pairs) {
    opt.zero_grad();
    auto loss = torch::binary_cross_entropy_with_logits(head.forward(x), y);
    loss.backward();
    opt.step();
    loss.detach();
    losses.push_back(loss);  // EXPECT: retained-graph
  }
  return torch::stack(losses).mean().item<double>();
}

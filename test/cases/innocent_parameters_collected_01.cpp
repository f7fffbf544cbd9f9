#include <torch/torch.h>
#include <memory>
#include <vector>

using torch::Tensor;

struct Expert : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Expert() { f = register_module("f", torch::nn::Linear(10, 10)); }
  Tensor forward(Tensor x) { return torch::relu(f(x)); }
};

// Parameters are leaves: a list of them holds no graph.
std::vector<Tensor> trainable(const std::vector<std::shared_ptr<Expert>>& experts, std::vector<Tensor>& biases) {
  std::vector<Tensor> all;
  for (const auto& e : experts) {
    for (const auto& p : e->parameters())
      if (p.requires_grad()) all.push_back(p);
    biases.push_back(e->f->bias);
  }
  for (int i = 0; i < 4; ++i) {
    auto extra = torch::randn({10}, torch::requires_grad());
    all.push_back(extra);
  }
  return all;
}

void train(const std::vector<std::shared_ptr<Expert>>& experts, const std::vector<Tensor>& xs) {
  std::vector<Tensor> biases;
  torch::optim::Adam opt(trainable(experts, biases), 1e-3);
  for (const auto& x : xs) {
    opt.zero_grad();
    Tensor mixed = torch::zeros_like(x);
    for (const auto& e : experts) mixed = mixed + e->forward(x) / static_cast<double>(experts.size());
    torch::mse_loss(mixed, x).backward();
    opt.step();
  }
}

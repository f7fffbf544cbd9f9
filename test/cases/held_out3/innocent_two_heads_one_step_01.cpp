#include <torch/torch.h>
#include <vector>

// Two losses share a trunk; each has its own backward, and one step follows.
struct MultiTask : torch::nn::Module {
  MultiTask() {
    trunk = register_module("trunk", torch::nn::Linear(16, 32));
    age = register_module("age", torch::nn::Linear(32, 1));
    sex = register_module("sex", torch::nn::Linear(32, 2));
  }
  std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor& x) {
    auto h = torch::relu(trunk(x));
    return {age(h), sex(h)};
  }
  torch::nn::Linear trunk{nullptr}, age{nullptr}, sex{nullptr};
};

struct Item {
  torch::Tensor x, years, label;
};

void train(MultiTask& net, const std::vector<Item>& items) {
  torch::optim::Adam opt(net.parameters());
  std::vector<std::pair<float, float>> curve;
  for (const auto& [x, years, label] : items) {
    opt.zero_grad();
    auto [a, s] = net.forward(x);
    auto regression = torch::mse_loss(a, years);
    auto classification = torch::nn::functional::cross_entropy(s, label);
    regression.backward({}, /*keep_graph=*/true);
    classification.backward();
    opt.step();
    curve.emplace_back(regression.item<float>(), classification.item<float>());
  }
}

// Gradients of single examples, clipped and averaged by hand.
void train_privately(MultiTask& net, const std::vector<Item>& items, double noise) {
  torch::optim::SGD opt(net.parameters(), 0.1);
  auto parameters = net.parameters();
  std::vector<torch::Tensor> sums;
  for (const auto& p : parameters) sums.push_back(torch::zeros_like(p));
  for (const auto& item : items) {
    net.zero_grad();
    torch::mse_loss(net.forward(item.x).first, item.years).backward();
    torch::nn::utils::clip_grad_norm_(parameters, 1.0);
    for (size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].grad().defined()) sums[i] += parameters[i].grad();
  }
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i].mutable_grad() = (sums[i] + noise * torch::randn_like(sums[i])) / static_cast<double>(items.size());
  opt.step();
}

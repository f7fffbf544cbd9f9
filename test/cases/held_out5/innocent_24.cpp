#include <torch/torch.h>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct Batch {
  torch::Tensor x, y;
};

using Metrics = std::map<std::string, double>;

// One pass over the data, for training or for validation.
Metrics run_epoch(torch::nn::AnyModule& model, const std::vector<Batch>& data, torch::optim::Optimizer* opt) {
  const bool training = opt != nullptr;
  model.ptr()->train(training);
  std::unique_ptr<torch::NoGradGuard> no_grad;
  if (!training) no_grad = std::make_unique<torch::NoGradGuard>();

  Metrics m{{"loss", 0.0}, {"accuracy", 0.0}};
  for (const auto& b : data) {
    auto logits = model.forward(b.x);
    auto loss = torch::cross_entropy_loss(logits, b.y);
    if (training) {
      opt->zero_grad();
      loss.backward();
      opt->step();
    }
    m["loss"] += loss.item<double>() / data.size();
    m["accuracy"] += logits.argmax(1).eq(b.y).to(torch::kFloat64).mean().item<double>() / data.size();
  }
  return m;
}

int main() {
  torch::nn::AnyModule model(torch::nn::Linear(64, 7));
  std::vector<Batch> train, val;
  for (int i = 0; i < 200; ++i) {
    auto x = torch::randn({32, 64});
    (i % 5 == 0 ? val : train).push_back({x, x.narrow(1, 0, 7).argmax(1)});
  }
  torch::optim::SGD opt(model.ptr()->parameters(), torch::optim::SGDOptions(0.1).weight_decay(1e-4));
  std::vector<Metrics> history;
  for (int epoch = 0; epoch < 30; ++epoch) {
    history.push_back(run_epoch(model, train, &opt));
    history.push_back(run_epoch(model, val, nullptr));
    std::cout << history[2 * epoch]["loss"] << ' ' << history[2 * epoch + 1]["accuracy"] << '\n';
  }
}

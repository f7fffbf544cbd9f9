#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Batch {
  torch::Tensor x, y;
};

struct Net : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Net() { l = register_module("l", torch::nn::Linear(16, 4)); }
  torch::Tensor forward(torch::Tensor x) { return l(x); }
};

// One function for both phases, as in most training scripts.
double run_epoch(Net& net, const std::vector<Batch>& batches, torch::optim::Optimizer* opt) {
  const bool training = opt != nullptr;
  net.train(training);
  torch::AutoGradMode grad(training);
  double sum = 0;
  for (const auto& b : batches) {
    auto loss = torch::cross_entropy_loss(net.forward(b.x), b.y);
    if (training) {
      opt->zero_grad();
      loss.backward();
      opt->step();
    }
    sum += loss.item<double>();
  }
  return sum / batches.size();
}

int main() {
  Net net;
  torch::optim::SGD opt(net.parameters(), 0.1);
  std::vector<Batch> batches(20, {torch::rand({8, 16}), torch::randint(0, 4, {8}, torch::kLong)});
  for (int e = 0; e < 3; ++e) std::cout << run_epoch(net, batches, &opt) << ' ' << run_epoch(net, batches, nullptr) << '\n';
}

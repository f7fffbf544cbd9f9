// Training with a validation pass every epoch; the pass stops early when a loss is broken.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <vector>

struct Item {
  torch::Tensor x, y;
};

struct Classifier : torch::nn::Module {
  Classifier() {
    a = register_module("a", torch::nn::Linear(40, 80));
    b = register_module("b", torch::nn::Linear(80, 7));
    drop = register_module("drop", torch::nn::Dropout(0.2));
  }
  torch::Tensor forward(torch::Tensor x) { return b(drop(torch::relu(a(x)))); }
  torch::nn::Linear a{nullptr}, b{nullptr};
  torch::nn::Dropout drop{nullptr};
};

double validate(Classifier& net, const std::vector<Item>& items) {
  torch::GradMode::set_enabled(false);  // EXPECT: no-grad-in-training
  net.eval();
  double sum = 0;
  for (const auto& it : items) {
    const double loss = torch::cross_entropy_loss(net.forward(it.x), it.y).item<double>();
    if (!std::isfinite(loss)) {
      std::fprintf(stderr, "validation loss is not finite\n");
      net.train();
      return loss;  // ALSO: no-grad-in-training
    }
    sum += loss;
  }
  net.train();
  torch::GradMode::set_enabled(true);
  return sum / static_cast<double>(items.size());
}

int main() {
  std::vector<Item> train, held;
  for (int i = 0; i < 100; ++i) train.push_back({torch::randn({32, 40}), torch::randint(0, 7, {32}, torch::kLong)});
  for (int i = 0; i < 10; ++i) held.push_back({torch::randn({32, 40}), torch::randint(0, 7, {32}, torch::kLong)});
  Classifier net;
  torch::optim::SGD opt(net.parameters(), 0.05);
  for (int epoch = 0; epoch < 50; ++epoch) {
    for (const auto& it : train) {
      opt.zero_grad();
      auto loss = torch::cross_entropy_loss(net.forward(it.x), it.y);
      loss.backward();
      opt.step();
    }
    std::printf("%d: %.4f\n", epoch, validate(net, held));
  }
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Example {
  torch::Tensor features, target;
};

struct Ranker : torch::nn::Module {
  torch::nn::BatchNorm1d bn{nullptr};
  torch::nn::Linear fc{nullptr};
  Ranker() {
    bn = register_module("bn", torch::nn::BatchNorm1d(20));
    fc = register_module("fc", torch::nn::Linear(20, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return fc(bn(x)).flatten(); }
};

torch::Tensor train_step(Ranker& model, torch::optim::Optimizer& opt, const Example& e) {
  opt.zero_grad();
  auto loss = torch::huber_loss(model.forward(e.features), e.target);
  loss.backward();
  opt.step();
  return loss;
}

int main() {
  std::vector<Example> examples(200, {torch::randn({8, 20}), torch::randn({8})});
  Ranker model;
  torch::optim::RMSprop opt(model.parameters(), 1e-3);
  for (int epoch = 0; epoch < 5; ++epoch) {
    auto epoch_loss = torch::zeros({});
    for (const auto& e : examples) epoch_loss += train_step(model, opt, e);  // EXPECT: retained-graph
    std::cout << epoch << ": " << (epoch_loss / static_cast<double>(examples.size())).item<float>() << std::endl;
  }
}

#include "model.h"
#include <iostream>
#include <vector>

int main() {
  Net Model(64, 128, 10);
  torch::optim::Adam Optimizer(Model->parameters(), 1e-3);
  std::vector<torch::Tensor> Losses;
  for (int Step = 0; Step < 100; ++Step) {
    auto X = torch::randn({32, 64});
    auto Y = torch::randint(0, 10, {32}, torch::kLong);
    Optimizer.zero_grad();
    auto Loss = torch::nn::functional::cross_entropy(Model->forward(X), Y);
    Loss.backward();
    Optimizer.step();
    Losses.push_back(Loss);
  }
  std::cout << torch::stack(Losses).mean().item<float>() << "\n";
}

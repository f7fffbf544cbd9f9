#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Rosenbrock : torch::nn::Module {
  torch::Tensor p;
  Rosenbrock() { p = register_parameter("p", torch::tensor({-1.5f, 2.0f})); }
  torch::Tensor forward() { return (1 - p[0]).pow(2) + 100 * (p[1] - p[0].pow(2)).pow(2); }
};

int main() {
  Rosenbrock f;
  torch::optim::LBFGS optimizer(f.parameters(), torch::optim::LBFGSOptions(1.0).max_iter(20));
  std::vector<torch::Tensor> values;
  auto closure = [&]() {
    optimizer.zero_grad();
    auto value = f.forward();
    value.backward();
    values.push_back(value);  // EXPECT: retained-graph
    return value;
  };
  for (int i = 0; i < 500; ++i) optimizer.step(closure);
  std::cout << values.size() << " evaluations, last " << values.back().item<float>() << '\n';
}

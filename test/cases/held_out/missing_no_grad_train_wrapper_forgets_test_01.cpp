#include <torch/torch.h>
#include <cmath>
#include <functional>
#include <iostream>
#include <vector>

using torch::Tensor;
using Data = std::vector<std::pair<Tensor, Tensor>>;

struct Net : torch::nn::Module {
  torch::nn::Conv1d c{nullptr};
  torch::nn::Linear f{nullptr};
  Net() {
    c = register_module("c", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 4, 5)));
    f = register_module("f", torch::nn::Linear(4, 2));
  }
  Tensor forward(const Tensor& x) { return f(torch::relu(c(x)).amax(2)); }
};

void train(Net& net, torch::optim::Optimizer& opt, const Data& data) {
  net.train();
  for (const auto& [x, y] : data) {
    opt.zero_grad();
    torch::cross_entropy_loss(net.forward(x), y).backward();
    opt.step();
  }
}

std::vector<double> test(Net& net, const Data& data) {
  net.eval();
  std::vector<double> scores;
  for (const auto& [x, y] : data) {
    auto p = torch::softmax(net.forward(x), 1);  // EXPECT: missing-no-grad
    scores.push_back(-std::log(p.gather(1, y.unsqueeze(1)).mean().item<double>()));
  }
  return scores;
}

int main() {
  Net net;
  torch::optim::Adam opt(net.parameters(), 1e-3);
  const Data data(8, {torch::rand({4, 1, 50}), torch::randint(0, 2, {4}, torch::kLong)});
  for (int e = 0; e < 10; ++e) {
    train(net, opt, data);
    torch::NoGradGuard no_grad;
    std::cout << net.forward(data[0].first).mean().item<float>() << ' ';
  }
  std::cout << test(net, data).size() << '\n';
}

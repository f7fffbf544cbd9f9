#include <torch/torch.h>
#include <iostream>
#include <vector>

template <typename Net, typename Scalar>
struct Fit {
  Net net;
  std::vector<Scalar> curve;
  Scalar sum = 0;

  void epoch(const std::vector<std::pair<torch::Tensor, torch::Tensor>>& data, torch::optim::Optimizer& opt) {
    for (const auto& [x, y] : data) {
      opt.zero_grad();
      auto loss = torch::mse_loss(net->forward(x), y);
      loss.backward();
      opt.step();
      const auto value = loss.template item<Scalar>();
      sum += value;
      curve.push_back(value);
      curve.emplace_back(loss.item().template to<Scalar>());
    }
  }
};

int main() {
  Fit<torch::nn::Linear, double> fit{torch::nn::Linear(4, 1), {}, 0};
  torch::optim::SGD opt(fit.net->parameters(), 0.1);
  std::vector<std::pair<torch::Tensor, torch::Tensor>> data(64, {torch::rand({8, 4}), torch::rand({8, 1})});
  for (int e = 0; e < 10; ++e) fit.epoch(data, opt);
  std::cout << fit.sum / fit.curve.size() << '\n';
}

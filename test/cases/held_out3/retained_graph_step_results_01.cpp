#include <torch/torch.h>
#include <algorithm>
#include <iostream>
#include <vector>

struct StepResult {
  torch::Tensor loss;
  float accuracy;
  double seconds;
};

StepResult one_step(torch::nn::Sequential& net, torch::optim::Optimizer& opt, const torch::Tensor& x, const torch::Tensor& y) {
  opt.zero_grad();
  auto logits = net->forward(x);
  auto loss = torch::nn::functional::cross_entropy(logits, y);
  loss.backward();
  opt.step();
  StepResult result;
  result.loss = loss;
  result.accuracy = logits.argmax(1).eq(y).to(torch::kFloat).mean().item<float>();
  result.seconds = 0;
  return result;
}

int main() {
  torch::nn::Sequential net(torch::nn::Linear(20, 40), torch::nn::ReLU(), torch::nn::Linear(40, 5));
  torch::optim::Adagrad opt(net->parameters());
  std::vector<StepResult> results;
  for (int i = 0; i < 20000; ++i) {
    auto r = one_step(net, opt, torch::randn({32, 20}), torch::randint(5, {32}, torch::kLong));
    results.push_back(std::move(r));  // EXPECT: retained-graph
  }
  auto best = std::max_element(results.begin(), results.end(), [](const auto& a, const auto& b) { return a.accuracy < b.accuracy; });
  std::cout << best->accuracy << " at loss " << best->loss.item<float>() << "\n";
}

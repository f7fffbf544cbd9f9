#include <torch/torch.h>
#include <initializer_list>
#include <iostream>
#include <vector>

enum class Phase { Train, Test };

// One loop for both; grad mode is on in training alone.
template <class Net>
double pass(Net& net, torch::optim::Optimizer& opt, const std::vector<torch::Tensor>& data, Phase phase) {
  const bool training = phase == Phase::Train;
  torch::AutoGradMode mode(training);
  net->train(training);
  double sum = 0;
  torch::Tensor curve = torch::empty({0});
  for (const auto& x : data) {
    auto out = net->forward(x);
    auto loss = (out - x).abs().mean();
    curve = torch::cat({curve, loss.detach().view(1)});
    sum += loss.template item<double>();
    if (!training) continue;
    opt.zero_grad();
    loss.backward();
    double norm = 0;
    for (const auto& p : net->parameters()) norm += p.grad().norm().template item<double>();
    if (norm < 1e4) opt.step();
  }
  torch::save(curve, training ? "train.pt" : "test.pt");
  return sum / data.size();
}

int main() {
  torch::nn::Sequential auto_encoder(torch::nn::Linear(10, 3), torch::nn::Linear(3, 10));
  torch::optim::SGD opt(auto_encoder->parameters(), 0.05);
  std::vector<torch::Tensor> train(100, torch::rand({4, 10})), test(20, torch::rand({4, 10}));
  for (int e = 0; e < 3; ++e)
    for (auto phase : {Phase::Train, Phase::Test}) std::cout << pass(auto_encoder, opt, phase == Phase::Train ? train : test, phase) << "\n";
}

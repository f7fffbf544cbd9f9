#include <torch/torch.h>
#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Sequential body{torch::nn::Linear(8, 32), torch::nn::Dropout(0.2), torch::nn::Linear(32, 1)};
  Net() { register_module("body", body); }
  Tensor forward(Tensor x) { return body->forward(x); }
};

struct Uncertain {
  float mean, deviation;
};

// Dropout stays on (train mode), gradients are off.
Uncertain predict(Net& net, const Tensor& x, int samples) {
  torch::AutoGradMode guard(false);
  net.train();
  std::vector<Tensor> draws;
  std::generate_n(std::back_inserter(draws), samples, [&] { return net.forward(x); });
  Tensor sum = torch::zeros({1, 1});
  for (int i = 0; i < samples; ++i) sum += net.forward(x);
  auto all = torch::cat(draws);
  return {(all.mean() + sum.squeeze() / samples).item<float>() / 2, all.std().item<float>()};
}

std::multiset<float> predictions(Net& net, const std::vector<Tensor>& xs) {
  c10::InferenceMode guard;
  std::multiset<float> sorted;
  std::transform(xs.begin(), xs.end(), std::inserter(sorted, sorted.end()),
                 [&net](const Tensor& x) { return net.forward(x).item<float>(); });
  return sorted;
}

double mean_loss(torch::optim::Optimizer& opt, Net& net, const std::vector<Tensor>& xs) {
  return std::accumulate(xs.begin(), xs.end(), 0.0, [&](double sum, const Tensor& x) {
    opt.zero_grad();
    auto loss = net.forward(x).square().mean();
    loss.backward();
    opt.step();
    return sum + loss.item<double>() / xs.size();
  });
}

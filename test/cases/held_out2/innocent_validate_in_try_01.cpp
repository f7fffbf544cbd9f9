#include <torch/torch.h>
#include <cmath>
#include <cstdio>
#include <exception>
#include <queue>
#include <vector>

// Keeps the five lowest losses, skips steps that are not finite, and survives
// a validation that fails.
struct Ranked {
  torch::Tensor loss;
  int step;
  bool operator<(const Ranked& other) const { return loss.item<float>() < other.loss.item<float>(); }
};

torch::Tensor train_step(torch::nn::Sequential& net, torch::optim::Optimizer& opt, const torch::Tensor& x, const torch::Tensor& y) {
  opt.zero_grad();
  auto loss = torch::mse_loss(net->forward(x), y);
  if (!std::isfinite(loss.item<float>())) return {};
  loss.backward();
  opt.step();
  return loss;
}

double validate(torch::nn::Sequential& net, const std::vector<torch::Tensor>& xs) {
  torch::NoGradGuard no_grad;
  double sum = 0;
  for (const auto& x : xs) {
    auto out = net->forward(x);
    if (out.isnan().any().item<bool>()) throw std::runtime_error("not a number");
    sum += out.abs().mean().item<double>();
  }
  return sum;
}

void run(torch::nn::Sequential& net, torch::optim::Optimizer& opt, const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys) {
  std::priority_queue<Ranked> lowest;
  for (size_t i = 0; i < xs.size(); ++i) {
    auto loss = train_step(net, opt, xs[i], ys[i]);
    if (!loss.defined()) continue;
    lowest.push({loss, static_cast<int>(i)});
    if (lowest.size() > 5) lowest.pop();
    if (i % 500 != 0) continue;
    try {
      net->eval();
      std::printf("%zu %f\n", i, validate(net, xs));
    } catch (const std::exception& e) {
      std::fprintf(stderr, "validation failed: %s\n", e.what());
    }
    net->train();
  }
  while (!lowest.empty()) {
    std::printf("%d\n", lowest.top().step);
    lowest.pop();
  }
}

#include <torch/torch.h>
#include <cmath>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Task {
  Task() : amplitude(0.1 + 4.9 * std::rand() / RAND_MAX), phase(3.14 * std::rand() / RAND_MAX) {}
  std::pair<Tensor, Tensor> sample(int64_t n) const {
    auto x = torch::rand({n, 1}) * 10 - 5;
    return {x, amplitude * torch::sin(x - phase)};
  }
  double amplitude, phase;
};

// A network whose weights are passed in, so that adapted weights stay part of the graph.
Tensor apply_net(const std::vector<Tensor>& w, const Tensor& x) {
  auto h = torch::relu(torch::addmm(w[1], x, w[0]));
  h = torch::relu(torch::addmm(w[3], h, w[2]));
  return torch::addmm(w[5], h, w[4]);
}

std::vector<Tensor> adapt(const std::vector<Tensor>& meta, const Task& task, int steps, double lr) {
  auto fast = meta;
  for (int s = 0; s < steps; ++s) {
    auto [x, y] = task.sample(10);
    auto loss = torch::mse_loss(apply_net(fast, x), y);
    auto grads = torch::autograd::grad({loss}, fast, {}, /*retain_graph=*/true, /*create_graph=*/true);
    for (size_t i = 0; i < fast.size(); ++i) fast[i] = fast[i] - lr * grads[i];
  }
  return fast;
}

int main() {
  std::vector<Tensor> meta;
  for (auto [in, out] : std::vector<std::pair<int64_t, int64_t>>{{1, 40}, {40, 40}, {40, 1}}) {
    meta.push_back((torch::randn({in, out}) / std::sqrt(in)).requires_grad_(true));
    meta.push_back(torch::zeros({out}, torch::requires_grad()));
  }
  torch::optim::Adam opt(meta, 1e-3);
  const int tasks = 25;
  for (int it = 0; it < 20000; ++it) {
    auto meta_loss = torch::zeros({});
    for (int t = 0; t < tasks; ++t) {
      Task task;
      auto fast = adapt(meta, task, 3, 0.01);
      auto [x, y] = task.sample(10);
      meta_loss = meta_loss + torch::mse_loss(apply_net(fast, x), y);
    }
    opt.zero_grad();
    (meta_loss / tasks).backward();
    opt.step();
    if (it % 200 == 0) std::cout << it << ' ' << meta_loss.item<double>() / tasks << '\n';
  }
}

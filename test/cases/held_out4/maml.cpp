#include <torch/torch.h>
#include <iostream>
#include <vector>

using Params = std::vector<torch::Tensor>;

static Params init_params() {
  Params p{torch::randn({40, 1}) * 0.5, torch::zeros({40}), torch::randn({40, 40}) * 0.15,
           torch::zeros({40}),          torch::randn({1, 40}) * 0.15, torch::zeros({1})};
  for (auto& t : p) t.set_requires_grad(true);
  return p;
}

static torch::Tensor net(const Params& p, torch::Tensor x) {
  x = torch::relu(torch::linear(x, p[0], p[1]));
  x = torch::relu(torch::linear(x, p[2], p[3]));
  return torch::linear(x, p[4], p[5]);
}

struct Task {
  double amplitude, phase;
  Task() : amplitude(torch::rand({1}).item<double>() * 4.9 + 0.1), phase(torch::rand({1}).item<double>() * 3.14159) {}
  std::pair<torch::Tensor, torch::Tensor> sample(int64_t k) const {
    auto x = torch::rand({k, 1}) * 10 - 5;
    return {x, amplitude * torch::sin(x + phase)};
  }
};

static Params adapt(const Params& params, const Task& task, int steps, double lr, bool second_order) {
  Params fast = params;
  for (int s = 0; s < steps; ++s) {
    auto [x, y] = task.sample(10);
    auto loss = torch::mse_loss(net(fast, x), y);
    auto grads = torch::autograd::grad({loss}, fast, {}, /*retain_graph=*/second_order, /*create_graph=*/second_order);
    for (size_t i = 0; i < fast.size(); ++i) fast[i] = fast[i] - lr * grads[i];
  }
  return fast;
}

int main() {
  auto params = init_params();
  torch::optim::Adam meta(params, torch::optim::AdamOptions(1e-3));
  const int tasks = 4;
  for (int it = 0; it < 20000; ++it) {
    torch::Tensor total = torch::zeros({});
    for (int t = 0; t < tasks; ++t) {
      Task task;
      auto fast = adapt(params, task, 1, 0.01, true);
      auto [x, y] = task.sample(10);
      total = total + torch::mse_loss(net(fast, x), y) / tasks;
    }
    meta.zero_grad();
    total.backward();
    meta.step();
    if (it % 500 == 0) {
      Task task;
      auto fast = adapt(params, task, 10, 0.01, false);
      torch::NoGradGuard no_grad;
      auto [x, y] = task.sample(100);
      std::cout << it << " meta " << total.item<float>() << " adapted " << torch::mse_loss(net(fast, x), y).item<float>() << "\n";
    }
  }
}

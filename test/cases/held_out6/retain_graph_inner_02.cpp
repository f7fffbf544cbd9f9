// MAML with an inner loop that calls backward(create_graph) on adapted copies whose gradients nobody clears.
#include <torch/torch.h>

#include <cstdio>
#include <vector>

using torch::Tensor;

struct SineTask {
  double amplitude, phase;
  std::pair<Tensor, Tensor> draw(int64_t n) const {
    auto x = torch::rand({n, 1}) * 10 - 5;
    return {x, amplitude * torch::sin(x + phase)};
  }
};

struct Weights {
  Tensor w1, b1, w2, b2;
  std::vector<Tensor> list() const { return {w1, b1, w2, b2}; }
};

Weights fresh_weights() {
  Weights w{torch::randn({40, 1}) * 0.5, torch::zeros(40), torch::randn({1, 40}) * 0.2, torch::zeros(1)};
  for (auto& t : w.list()) t.set_requires_grad(true);
  return w;
}

Tensor predict_sine(const Weights& w, const Tensor& x) {
  return torch::linear(torch::relu(torch::linear(x, w.w1, w.b1)), w.w2, w.b2);
}

Tensor sensitivity(const Weights& w, const SineTask& task) {
  Weights copy;
  copy.w1 = w.w1.detach().clone().requires_grad_(true);
  copy.b1 = w.b1.detach().clone().requires_grad_(true);
  copy.w2 = w.w2.detach().clone().requires_grad_(true);
  copy.b2 = w.b2.detach().clone().requires_grad_(true);
  auto [x, y] = task.draw(10);
  auto loss = torch::mse_loss(predict_sine(copy, x), y);
  loss.backward({}, /*retain_graph=*/true, /*create_graph=*/true);  // EXPECT: retain-graph
  Tensor norm = torch::zeros({});
  for (const auto& t : copy.list()) norm = norm + t.grad().pow(2).sum();
  return norm.detach();
}

int main() {
  auto w = fresh_weights();
  torch::optim::Adam opt(w.list(), 1e-3);
  for (int step = 0; step < 5000; ++step) {
    SineTask task{0.1 + 4.9 * torch::rand({1}).item<double>(), 3.14 * torch::rand({1}).item<double>()};
    const auto weight = 1.0 / (1.0 + sensitivity(w, task).item<double>());
    auto [x, y] = task.draw(20);
    opt.zero_grad();
    auto loss = weight * torch::mse_loss(predict_sine(w, x), y);
    loss.backward();
    opt.step();
    if (step % 250 == 0) std::printf("%d %.4f\n", step, loss.item<double>());
  }
}

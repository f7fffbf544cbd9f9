// Reptile: a clone is trained on each task, the slow weights move towards it under a guard.
#include <torch/torch.h>

#include <cstdio>
#include <memory>
#include <random>

struct SlowNetImpl : torch::nn::Cloneable<SlowNetImpl> {
  SlowNetImpl() { reset(); }
  void reset() override {
    l1 = register_module("l1", torch::nn::Linear(1, 64));
    l2 = register_module("l2", torch::nn::Linear(64, 64));
    l3 = register_module("l3", torch::nn::Linear(64, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return l3(torch::tanh(l2(torch::tanh(l1(x))))); }
  torch::nn::Linear l1{nullptr}, l2{nullptr}, l3{nullptr};
};
TORCH_MODULE(SlowNet);

struct Wave {
  double amplitude, phase;
  torch::Tensor operator()(const torch::Tensor& x) const { return amplitude * torch::sin(x + phase); }
};

double adapt(SlowNetImpl& fast, const Wave& task, int inner, double lr) {
  torch::optim::SGD opt(fast.parameters(), lr);
  double last = 0;
  for (int i = 0; i < inner; ++i) {
    auto x = torch::rand({20, 1}) * 10 - 5;
    auto loss = torch::mse_loss(fast.forward(x), task(x));
    opt.zero_grad();
    loss.backward();
    opt.step();
    last = loss.item<double>();
  }
  return last;
}

void move_towards(SlowNetImpl& slow, const SlowNetImpl& fast, double rate) {
  torch::NoGradGuard off;
  auto to = slow.parameters();
  const auto from = fast.parameters();
  for (size_t i = 0; i < to.size(); ++i) to[i].add_(from[i] - to[i], rate);
}

int main() {
  std::mt19937 rng(9);
  std::uniform_real_distribution<double> amp(0.1, 5.0), phase(0, 3.1416);
  SlowNet slow;
  double shown = 0;
  for (int outer = 0; outer < 5000; ++outer) {
    auto fast = std::dynamic_pointer_cast<SlowNetImpl>(slow->clone());
    shown = 0.95 * shown + 0.05 * adapt(*fast, Wave{amp(rng), phase(rng)}, 8, 0.02);
    move_towards(*slow, *fast, 0.1 * (1 - outer / 5000.0));
    if (outer % 500 == 0) std::printf("%d %.4f\n", outer, shown);
  }
}

// MAML with autograd::grad: the tasks' losses are summed because one backward runs over them all.
#include <torch/torch.h>

#include <iostream>
#include <utility>
#include <vector>

using torch::Tensor;
using Params = std::vector<Tensor>;

static Tensor run(const Params& p, const Tensor& x) {
  auto h = torch::relu(torch::addmm(p[1], x, p[0]));
  return torch::addmm(p[3], h, p[2]);
}

static Params adapt_once(const Params& p, const Tensor& loss, double lr) {
  auto grads = torch::autograd::grad({loss}, p, {}, /*retain_graph=*/true, /*create_graph=*/true);
  Params out;
  out.reserve(p.size());
  for (size_t i = 0; i < p.size(); ++i) out.push_back(p[i] - lr * grads[i]);
  return out;
}

struct Task {
  Tensor w;
  std::pair<Tensor, Tensor> batch(int64_t n) const {
    auto x = torch::randn({n, 5});
    return {x, torch::matmul(x, w)};
  }
};

class MetaLearner {
 public:
  MetaLearner()
      : params_{0.3 * torch::randn({5, 32}), torch::zeros({32}), 0.3 * torch::randn({32, 1}), torch::zeros({1})},
        opt_(mark(params_), torch::optim::AdamOptions(1e-3)) {}

  double meta_step(const std::vector<Task>& tasks) {
    Tensor outer = torch::zeros({});
    for (const auto& t : tasks) {
      auto fast = params_;
      for (int k = 0; k < 3; ++k) {
        auto [x, y] = t.batch(10);
        fast = adapt_once(fast, torch::mse_loss(run(fast, x), y), 0.01);
      }
      auto [x, y] = t.batch(20);
      outer = outer + torch::mse_loss(run(fast, x), y);
    }
    outer = outer / static_cast<double>(tasks.size());
    opt_.zero_grad();
    outer.backward();
    opt_.step();
    return outer.item<double>();
  }

 private:
  static Params& mark(Params& p) {
    for (auto& t : p) t.requires_grad_(true);
    return p;
  }
  Params params_;
  torch::optim::Adam opt_;
};

int main() {
  MetaLearner learner;
  for (int i = 0; i < 3000; ++i) {
    std::vector<Task> tasks;
    for (int t = 0; t < 4; ++t) tasks.push_back({torch::randn({5, 1})});
    const double loss = learner.meta_step(tasks);
    if (i % 100 == 0) std::cout << i << " " << loss << "\n";
  }
}

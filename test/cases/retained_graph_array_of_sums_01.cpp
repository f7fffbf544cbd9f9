#include <torch/torch.h>
#include <array>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(24, 3)); }
  Tensor forward(Tensor x) { return f(x); }
};

struct Totals {
  std::array<Tensor, 3> per_class;
  Tensor overall;
};

// Loss per class over an epoch; each element of the array is a sum that never ends.
Totals train(Net& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data) {
  Totals totals;
  totals.per_class.fill(torch::zeros({}));
  totals.overall = torch::zeros({});
  for (const auto& [x, y] : data) {
    auto rows = torch::cross_entropy_loss(net.forward(x), y, {}, torch::Reduction::None);
    auto loss = rows.mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
    for (int64_t c = 0; c < 3; ++c) {
      auto mask = y.eq(c);
      totals.per_class[c] = totals.per_class[c] + rows.masked_select(mask).sum();  // EXPECT: retained-graph
    }
    totals.overall += rows.detach().sum();
  }
  for (auto& t : totals.per_class) t = torch::tensor(t.item<float>());
  return totals;
}

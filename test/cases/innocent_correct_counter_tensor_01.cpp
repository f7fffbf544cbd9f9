#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Digits : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Digits() { l = register_module("l", torch::nn::Linear(64, 10)); }
  Tensor forward(Tensor x) { return l(x); }
};

struct Stats {
  Tensor correct = torch::zeros({}, torch::kLong);
  Tensor confusion = torch::zeros({10, 10}, torch::kLong);
  std::vector<Tensor> predictions;
  int64_t seen = 0;
};

Stats train(Digits& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data) {
  Stats stats;
  for (const auto& [x, y] : data) {
    opt.zero_grad();
    auto logits = net.forward(x);
    auto loss = torch::cross_entropy_loss(logits, y);
    loss.backward();
    opt.step();

    auto [value, index] = logits.max(1);
    stats.predictions.push_back(index);
    stats.correct += (index == y).sum();
    stats.confusion.index_put_({y, index}, torch::ones_like(y), /*accumulate=*/true);
    stats.predictions.push_back(std::get<1>(logits.topk(3)));
    stats.predictions.push_back(logits.gt(0).any(1).to(torch::kFloat));
    stats.seen += y.size(0);
  }
  return stats;
}

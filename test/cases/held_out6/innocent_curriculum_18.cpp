// Curriculum: the last loss of every sample stands in one table, written through a detached value.
#include <torch/torch.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <numeric>

struct ScoreNetImpl : torch::nn::Module {
  ScoreNetImpl() {
    a = register_module("a", torch::nn::Linear(24, 60));
    b = register_module("b", torch::nn::Linear(60, 4));
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::elu(a(x))); }
  torch::nn::Linear a{nullptr}, b{nullptr};
};
TORCH_MODULE(ScoreNet);

class Curriculum {
 public:
  explicit Curriculum(int64_t n) : difficulty_(torch::full({n}, 10.0)) {}

  torch::Tensor pick(int64_t n) const {
    const auto order = difficulty_.argsort();
    const auto usable = std::max<int64_t>(n, static_cast<int64_t>(share_ * static_cast<double>(order.size(0))));
    return order.slice(0, 0, usable).index_select(0, torch::randint(0, usable, {n}, torch::kLong));
  }

  void record(const torch::Tensor& index, const torch::Tensor& losses) {
    difficulty_.index_put_({index}, losses.detach());
    recent_.push_back(losses.mean().item<float>());
    while (recent_.size() > 50) recent_.pop_front();
    const double mean = std::accumulate(recent_.begin(), recent_.end(), 0.0) / recent_.size();
    if (mean < 0.5) share_ = std::min(1.0, share_ + 0.01);
  }

  double share() const { return share_; }

 private:
  torch::Tensor difficulty_;
  std::deque<float> recent_;
  double share_ = 0.2;
};

int main() {
  const auto x = torch::randn({4000, 24});
  const auto y = torch::randint(0, 4, {4000}, torch::kLong);
  ScoreNet net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  Curriculum curriculum(x.size(0));
  for (int i = 0; i < 20000; ++i) {
    const auto index = curriculum.pick(64);
    auto each = torch::cross_entropy_loss(net->forward(x.index_select(0, index)), y.index_select(0, index), {},
                                          at::Reduction::None);
    opt.zero_grad();
    each.mean().backward();
    opt.step();
    curriculum.record(index, each);
    if (i % 1000 == 0) std::cout << i << " " << curriculum.share() << "\n";
  }
}

#include <torch/torch.h>
#include <optional>
#include <utility>
#include <vector>

using torch::Tensor;

class TwoTower : public torch::nn::Module {
 public:
  TwoTower() {
    user_ = register_module("user", torch::nn::Embedding(1000, 16));
    item_ = register_module("item", torch::nn::Embedding(500, 16));
  }
  Tensor forward(const Tensor& u, const Tensor& i) { return (user_(u) * item_(i)).sum(1); }
  Tensor all(const Tensor& u) { return user_(u).mm(item_->weight.t()); }

 private:
  torch::nn::Embedding user_{nullptr}, item_{nullptr};
};

struct Metrics {
  double hit_rate = 0;
  std::optional<double> auc;
};

Metrics evaluate(TwoTower& model, const Tensor& users, const Tensor& positives, const Tensor& negatives) {
  Metrics m;
  const auto good = model.forward(users, positives);  // EXPECT: missing-no-grad
  const auto bad = model.forward(users, negatives);
  m.auc = (good > bad).to(torch::kDouble).mean().item<double>();
  for (int64_t i = 0; i < users.size(0); ++i) {
    auto top = std::get<1>(model.all(users.slice(0, i, i + 1)).topk(10));
    m.hit_rate += (top == positives[i]).any().item<bool>();
  }
  m.hit_rate /= users.size(0);
  return m;
}

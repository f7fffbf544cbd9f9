#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>

class EvalScope {
 public:
  explicit EvalScope(torch::nn::Module& m) : m_(m), was_training_(m.is_training()) { m_.eval(); }
  ~EvalScope() { m_.train(was_training_); }
  EvalScope(const EvalScope&) = delete;
  EvalScope& operator=(const EvalScope&) = delete;

 private:
  torch::NoGradGuard guard_;
  torch::nn::Module& m_;
  bool was_training_;
};

struct Rank : torch::nn::Module {
  Rank() {
    user = register_module("user", torch::nn::Embedding(1000, 32));
    item = register_module("item", torch::nn::Embedding(5000, 32));
    bias = register_parameter("bias", torch::zeros({1}));
  }
  torch::Tensor forward(torch::Tensor u, torch::Tensor i) { return (user(u) * item(i)).sum(-1) + bias; }
  torch::nn::Embedding user{nullptr}, item{nullptr};
  torch::Tensor bias;
};

class Recommender {
 public:
  Recommender() : model_(std::make_shared<Rank>()), opt_(model_->parameters(), 1e-2) {}

  double bpr(int64_t n) {
    auto u = torch::randint(1000, {n}, torch::kLong), p = torch::randint(5000, {n}, torch::kLong),
         q = torch::randint(5000, {n}, torch::kLong);
    auto loss = -torch::log_sigmoid(model_->forward(u, p) - model_->forward(u, q)).mean();
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    return loss.item<double>();
  }

  double auc(int64_t n) {
    EvalScope scope(*model_);
    auto u = torch::randint(1000, {n}, torch::kLong), p = torch::randint(5000, {n}, torch::kLong),
         q = torch::randint(5000, {n}, torch::kLong);
    return (model_->forward(u, p) > model_->forward(u, q)).to(torch::kFloat).mean().item<double>();
  }

  std::vector<int64_t> top(int64_t user, int64_t k) {
    auto guard = std::make_unique<torch::NoGradGuard>();
    auto items = torch::arange(5000, torch::kLong);
    auto s = model_->forward(torch::full({5000}, user, torch::kLong), items);
    auto idx = std::get<1>(s.topk(k));
    return {idx.data_ptr<int64_t>(), idx.data_ptr<int64_t>() + k};
  }

  torch::Tensor score(torch::Tensor u, torch::Tensor i, bool training) {
    std::optional<torch::NoGradGuard> guard;
    if (!training) guard.emplace();
    return model_->forward(u, i);
  }

  double calibrate(int steps) {
    double last = 0;
    for (int s = 0; s < steps; ++s) {
      auto u = torch::randint(1000, {64}, torch::kLong), i = torch::randint(5000, {64}, torch::kLong);
      auto y = (torch::rand({64}) > 0.5).to(torch::kFloat);
      auto loss = torch::binary_cross_entropy_with_logits(score(u, i, true), y);
      model_->zero_grad();
      loss.backward();
      opt_.step();
      last = loss.item<double>();
    }
    return last;
  }

  void print(int64_t u) {
    torch::AutoGradMode no_grad(false);
    auto s = score(torch::full({10}, u, torch::kLong), torch::arange(10, torch::kLong), false);
    std::cout << s << "\n";
  }

 private:
  std::shared_ptr<Rank> model_;
  torch::optim::Adagrad opt_;
};

int main() {
  Recommender r;
  for (int e = 0; e < 20; ++e) {
    double sum = 0;
    for (int i = 0; i < 100; ++i) sum += r.bpr(512);
    std::cout << e << " " << sum / 100 << " auc " << r.auc(2048) << "\n";
  }
  r.calibrate(100);
  for (auto i : r.top(7, 10)) std::cout << i << " ";
  r.print(7);
}

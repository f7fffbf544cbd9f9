#include <torch/torch.h>
#include <iostream>
#include <numeric>
#include <vector>

struct MlpImpl : torch::nn::Module {
  MlpImpl(int64_t in, int64_t out) {
    net = register_module("net", torch::nn::Sequential(torch::nn::Linear(in, 32), torch::nn::ReLU(),
                                                       torch::nn::Dropout(0.2), torch::nn::Linear(32, out)));
  }
  torch::Tensor forward(torch::Tensor x) { return net->forward(x); }
  torch::nn::Sequential net{nullptr};
};
TORCH_MODULE(Mlp);

struct Fold {
  torch::Tensor train, val;
};

static std::vector<Fold> folds(int64_t n, int k) {
  auto perm = torch::randperm(n, torch::kLong);
  auto parts = perm.chunk(k);
  std::vector<Fold> out;
  for (int i = 0; i < k; ++i) {
    std::vector<torch::Tensor> rest;
    for (int j = 0; j < k; ++j)
      if (j != i) rest.push_back(parts[j]);
    out.push_back({torch::cat(rest), parts[i]});
  }
  return out;
}

class EarlyStopping {
 public:
  explicit EarlyStopping(int patience) : patience_(patience) {}
  bool operator()(double v, Mlp& m) {
    if (v < best_) {
      best_ = v;
      bad_ = 0;
      weights_.clear();
      for (auto& p : m->parameters()) weights_.push_back(p.detach().clone());
      return false;
    }
    return ++bad_ > patience_;
  }
  void restore(Mlp& m) {
    torch::NoGradGuard no_grad;
    auto ps = m->parameters();
    for (size_t i = 0; i < ps.size(); ++i) ps[i].copy_(weights_[i]);
  }
  double best() const { return best_; }

 private:
  int patience_, bad_ = 0;
  double best_ = 1e30;
  std::vector<torch::Tensor> weights_;
};

int main() {
  auto x = torch::randn({1000, 10}), y = torch::randint(3, {1000}, torch::kLong);
  std::vector<double> scores;
  for (auto& fold : folds(1000, 5)) {
    Mlp model(10, 3);
    torch::optim::Adam opt(model->parameters(), torch::optim::AdamOptions(1e-3));
    EarlyStopping stop(5);
    auto tx = x.index_select(0, fold.train), ty = y.index_select(0, fold.train);
    auto vx = x.index_select(0, fold.val), vy = y.index_select(0, fold.val);
    for (int epoch = 0; epoch < 100; ++epoch) {
      model->train();
      std::vector<torch::Tensor> losses;
      for (int64_t i = 0; i < tx.size(0); i += 50) {
        auto loss = torch::nn::functional::cross_entropy(model->forward(tx.slice(0, i, i + 50)), ty.slice(0, i, i + 50));
        opt.zero_grad();
        loss.backward();
        opt.step();
        losses.push_back(loss.detach());
      }
      model->eval();
      double val;
      {
        torch::NoGradGuard no_grad;
        val = torch::nn::functional::cross_entropy(model->forward(vx), vy).item<double>();
      }
      if (stop(val, model)) break;
      std::cout << epoch << " train " << torch::stack(losses).mean().item<double>() << " val " << val << "\n";
    }
    stop.restore(model);
    scores.push_back(stop.best());
  }
  std::cout << std::accumulate(scores.begin(), scores.end(), 0.0) / scores.size() << "\n";
}

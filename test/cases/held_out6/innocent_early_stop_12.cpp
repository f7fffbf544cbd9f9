// Early stopping: the best weights are kept as detached copies, the history as numbers.
#include <torch/torch.h>

#include <deque>
#include <iostream>
#include <limits>
#include <map>
#include <string>

struct Tabular : torch::nn::Module {
  Tabular() {
    l1 = register_module("l1", torch::nn::Linear(30, 100));
    bn = register_module("bn", torch::nn::BatchNorm1d(100));
    l2 = register_module("l2", torch::nn::Linear(100, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return l2(torch::relu(bn(l1(x)))).squeeze(1); }
  torch::nn::Linear l1{nullptr}, l2{nullptr};
  torch::nn::BatchNorm1d bn{nullptr};
};

class EarlyStop {
 public:
  explicit EarlyStop(int patience) : patience_(patience) {}

  bool over(double loss, const Tabular& net) {
    recent_.push_back(loss);
    if (recent_.size() > 10) recent_.pop_front();
    if (loss < best_) {
      best_ = loss;
      bad_ = 0;
      for (const auto& p : net.named_parameters()) kept_[p.key()] = p.value().detach().clone();
      return false;
    }
    return ++bad_ > patience_;
  }

  void restore(Tabular& net) const {
    torch::NoGradGuard off;
    for (auto& p : net.named_parameters()) p.value().copy_(kept_.at(p.key()));
  }

  double best() const { return best_; }

 private:
  int patience_, bad_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  std::deque<double> recent_;
  std::map<std::string, torch::Tensor> kept_;
};

int main() {
  const auto x = torch::randn({2000, 30}), y = x.slice(1, 0, 3).prod(1);
  const auto vx = torch::randn({500, 30}), vy = vx.slice(1, 0, 3).prod(1);
  Tabular net;
  torch::optim::Adam opt(net.parameters(), 1e-3);
  EarlyStop stop(15);
  for (int epoch = 0; epoch < 500; ++epoch) {
    net.train();
    for (const auto& pick : torch::randperm(x.size(0)).split(64)) {
      opt.zero_grad();
      torch::mse_loss(net.forward(x.index_select(0, pick)), y.index_select(0, pick)).backward();
      opt.step();
    }
    net.eval();
    double loss;
    {
      torch::NoGradGuard off;
      loss = torch::mse_loss(net.forward(vx), vy).item<double>();
    }
    if (stop.over(loss, net)) break;
  }
  stop.restore(net);
  std::cout << "best " << stop.best() << "\n";
}

#include <torch/torch.h>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

class EarlyStopping {
 public:
  explicit EarlyStopping(int patience) : patience_(patience) {}
  bool improved(double loss) {
    const bool better = loss < best_;
    bad_ = better ? 0 : bad_ + 1;
    if (better) best_ = loss;
    return better;
  }
  bool expired() const { return bad_ >= patience_; }

 private:
  int patience_, bad_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

class OptimizerWrapper {
 public:
  OptimizerWrapper(std::shared_ptr<torch::optim::Optimizer> opt, std::vector<torch::Tensor> params)
      : opt_(std::move(opt)), params_(std::move(params)), schedule_(*opt_, 10, 0.5) {}
  void apply() {
    torch::nn::utils::clip_grad_norm_(params_, 1.0);
    opt_->step();
    for (auto& p : params_) p.mutable_grad() = torch::Tensor();
  }
  void end_epoch() { schedule_.step(); }

 private:
  std::shared_ptr<torch::optim::Optimizer> opt_;
  std::vector<torch::Tensor> params_;
  torch::optim::StepLR schedule_;
};

int main() {
  torch::nn::Sequential net(torch::nn::Linear(30, 60), torch::nn::ReLU(), torch::nn::Linear(60, 1));
  OptimizerWrapper opt(std::make_shared<torch::optim::SGD>(net->parameters(), torch::optim::SGDOptions(0.05)),
                       net->parameters());
  auto x = torch::rand({3000, 30});
  auto y = x.pow(2).mean(1, true);
  EarlyStopping stop(5);
  for (int epoch = 0; epoch < 200 && !stop.expired(); ++epoch) {
    auto running = torch::zeros({});
    for (int64_t i = 0; i < 2400; i += 60) {
      auto loss = torch::mse_loss(net->forward(x.narrow(0, i, 60)), y.narrow(0, i, 60));
      loss.backward();
      opt.apply();
      running += loss.detach();
    }
    opt.end_epoch();
    torch::NoGradGuard no_grad;
    auto val = torch::mse_loss(net->forward(x.narrow(0, 2400, 600)), y.narrow(0, 2400, 600));
    if (stop.improved(val.item<double>())) torch::save(net, "best.pt");
    std::cout << epoch << ' ' << running.item<float>() / 40 << ' ' << val.item<float>() << '\n';
  }
}

#include <torch/torch.h>
#include <cmath>
#include <iostream>
#include <memory>

struct ResBlockImpl : torch::nn::Module {
  explicit ResBlockImpl(int64_t c)
      : c1(torch::nn::Conv2dOptions(c, c, 3).padding(1).bias(false)), c2(torch::nn::Conv2dOptions(c, c, 3).padding(1).bias(false)),
        b1(c), b2(c) {
    register_module("c1", c1);
    register_module("c2", c2);
    register_module("b1", b1);
    register_module("b2", b2);
  }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(x + b2(c2(torch::relu(b1(c1(x)))))); }
  torch::nn::Conv2d c1, c2;
  torch::nn::BatchNorm2d b1, b2;
};
TORCH_MODULE(ResBlock);

class CosineSchedule {
 public:
  CosineSchedule(torch::optim::Optimizer& o, int64_t warm, int64_t total, double base) : o_(o), warm_(warm), total_(total), base_(base) {}
  void step() {
    ++t_;
    double lr = t_ < warm_ ? base_ * t_ / warm_ : 0.5 * base_ * (1 + std::cos(M_PI * (t_ - warm_) / double(total_ - warm_)));
    for (auto& g : o_.param_groups()) g.options().set_lr(lr);
  }

 private:
  torch::optim::Optimizer& o_;
  int64_t warm_, total_, t_ = 0;
  double base_;
};

class Evaluation {
 public:
  explicit Evaluation(torch::nn::Sequential& net) : net_(net), training_(net->is_training()), grad_(torch::GradMode::is_enabled()) {
    torch::GradMode::set_enabled(false);
    net_->eval();
  }
  ~Evaluation() {
    net_->train(training_);
    torch::GradMode::set_enabled(grad_);
  }

 private:
  torch::nn::Sequential& net_;
  bool training_, grad_;
};

static double accuracy(torch::nn::Sequential& net, int batches) {
  Evaluation scope(net);
  double ok = 0;
  for (int i = 0; i < batches; ++i) {
    auto y = torch::randint(10, {64}, torch::kLong);
    auto out = net->forward(torch::rand({64, 3, 32, 32}));
    if (out.isnan().any().item<bool>()) return 0;
    ok += out.argmax(1).eq(y).to(torch::kFloat).mean().item<double>();
  }
  return ok / batches;
}

int main() {
  torch::nn::Sequential net(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 3).padding(1)), ResBlock(32), ResBlock(32),
                            torch::nn::AdaptiveAvgPool2d(1), torch::nn::Flatten(), torch::nn::Linear(32, 10));
  auto opt = std::make_unique<torch::optim::SGD>(net->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9).weight_decay(5e-4));
  const int64_t epochs = 30, per_epoch = 100;
  CosineSchedule schedule(*opt, 500, epochs * per_epoch, 0.1);
  for (int64_t e = 0; e < epochs; ++e) {
    double sum = 0;
    for (int64_t i = 0; i < per_epoch; ++i) {
      opt->zero_grad();
      auto loss = torch::nn::functional::cross_entropy(net->forward(torch::rand({64, 3, 32, 32})), torch::randint(10, {64}, torch::kLong),
                                                       torch::nn::functional::CrossEntropyFuncOptions().label_smoothing(0.1));
      if (!torch::isfinite(loss).item<bool>()) continue;
      loss.backward();
      opt->step();
      schedule.step();
      sum += loss.item<double>();
    }
    std::cout << e << " " << sum / per_epoch << " " << accuracy(net, 20) << "\n";
  }
}

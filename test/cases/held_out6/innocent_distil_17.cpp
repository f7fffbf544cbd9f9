// Distillation with a teacher behind a pointer; a helper holds the guard and hands soft targets out.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <optional>

namespace F = torch::nn::functional;

class Net : public torch::nn::Module {
 public:
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};

class Wide final : public Net {
 public:
  Wide() { fc = register_module("fc", torch::nn::Sequential(torch::nn::Linear(48, 1024), torch::nn::ReLU(), torch::nn::Linear(1024, 12))); }
  torch::Tensor forward(torch::Tensor x) override { return fc->forward(x); }

 private:
  torch::nn::Sequential fc{nullptr};
};

class Narrow final : public Net {
 public:
  Narrow() { fc = register_module("fc", torch::nn::Linear(48, 12)); }
  torch::Tensor forward(torch::Tensor x) override { return fc->forward(x); }

 private:
  torch::nn::Linear fc{nullptr};
};

struct Distiller {
  std::unique_ptr<Net> teacher = std::make_unique<Wide>();
  std::unique_ptr<Net> student = std::make_unique<Narrow>();
  torch::optim::SGD opt{student->parameters(), torch::optim::SGDOptions(0.05)};
  double temperature = 4;

  torch::Tensor soft_targets(const torch::Tensor& x) const {
    const auto guard = std::make_unique<torch::NoGradGuard>();
    teacher->eval();
    return torch::softmax(teacher->forward(x) / temperature, 1);
  }

  double step(const torch::Tensor& x, const torch::Tensor& y) {
    const auto soft = soft_targets(x);
    student->train();
    auto out = student->forward(x);
    auto hard_loss = F::cross_entropy(out, y);
    auto soft_loss = F::kl_div(torch::log_softmax(out / temperature, 1), soft,
                               F::KLDivFuncOptions().reduction(torch::kBatchMean)) *
                     (temperature * temperature);
    auto loss = 0.3 * hard_loss + 0.7 * soft_loss;
    opt.zero_grad();
    loss.backward();
    opt.step();
    return loss.item<double>();
  }
};

int main() {
  Distiller d;
  double best = 1e9;
  for (int i = 0; i < 4000; ++i) {
    auto x = torch::randn({64, 48});
    best = std::min(best, d.step(x, torch::randint(0, 12, {64}, torch::kLong)));
  }
  std::cout << best << "\n";
}

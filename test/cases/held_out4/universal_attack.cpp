#include <torch/torch.h>
#include <iostream>
#include <memory>

struct Victim : torch::nn::Module {
  Victim() {
    body = register_module("body", torch::nn::Sequential(torch::nn::Flatten(), torch::nn::Linear(3 * 32 * 32, 256),
                                                         torch::nn::ReLU(), torch::nn::Linear(256, 10)));
  }
  torch::Tensor forward(torch::Tensor x) { return body->forward(x); }
  torch::nn::Sequential body{nullptr};
};

struct Config {
  double eps = 8.0 / 255;
  double lr = 0.005;
  int epochs = 5;
};

class UniversalPerturbation {
 public:
  UniversalPerturbation(std::shared_ptr<Victim> victim, Config cfg) : victim_(std::move(victim)), cfg_(cfg) {
    victim_->eval();
    for (auto& p : victim_->parameters()) p.set_requires_grad(false);
    delta_ = torch::zeros({1, 3, 32, 32}, torch::requires_grad());
  }

  void fit(const torch::Tensor& images, const torch::Tensor& labels) {
    torch::optim::Adam opt(std::vector<torch::Tensor>{delta_}, torch::optim::AdamOptions(cfg_.lr));
    for (int e = 0; e < cfg_.epochs; ++e) {
      for (int64_t i = 0; i + 64 <= images.size(0); i += 64) {
        auto x = images.slice(0, i, i + 64), y = labels.slice(0, i, i + 64);
        auto loss = -torch::nn::functional::cross_entropy(victim_->forward((x + delta_).clamp(0, 1)), y);
        loss.backward();
        opt.step();
        project();
      }
      std::cout << "epoch " << e << " fooled " << fooled(images, labels) << "\n";
    }
  }

  double fooled(const torch::Tensor& images, const torch::Tensor& labels) {
    torch::NoGradGuard no_grad;
    auto out = victim_->forward((images + delta_).clamp(0, 1));
    return out.argmax(1).ne(labels).to(torch::kFloat).mean().item<double>();
  }

 private:
  void project() {
    torch::NoGradGuard no_grad;
    delta_.clamp_(-cfg_.eps, cfg_.eps);
  }
  std::shared_ptr<Victim> victim_;
  Config cfg_;
  torch::Tensor delta_;
};

int main() {
  auto victim = std::make_shared<Victim>();
  torch::load(victim, "victim.pt");
  UniversalPerturbation attack(victim, Config{});
  attack.fit(torch::rand({4096, 3, 32, 32}), torch::randint(10, {4096}, torch::kLong));
}

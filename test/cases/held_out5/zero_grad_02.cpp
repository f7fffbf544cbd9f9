#include <torch/torch.h>
#include <iostream>
#include <memory>

using torch::Tensor;

class AdversarialTrainer {
 public:
  AdversarialTrainer(torch::nn::Sequential generator, torch::nn::Sequential critic)
      : generator_(generator), critic_(critic), g_opt_(std::make_unique<torch::optim::RMSprop>(generator->parameters(), 5e-5)),
        c_opt_(std::make_unique<torch::optim::RMSprop>(critic->parameters(), 5e-5)) {}

  void critic_step(const Tensor& real) {
    Tensor fake;
    {
      torch::NoGradGuard no_grad;
      fake = generator_->forward(noise(real.size(0)));
    }
    c_opt_->zero_grad();
    auto loss = critic_->forward(fake).mean() - critic_->forward(real).mean();
    loss.backward();
    c_opt_->step();
    clip_weights();
  }

  float generator_step(int64_t batch) {
    c_opt_->zero_grad();
    auto loss = -critic_->forward(generator_->forward(noise(batch))).mean();
    loss.backward();
    g_opt_->step();
    return loss.item<float>();
  }

 private:
  static Tensor noise(int64_t n) { return torch::randn({n, 32}); }
  void clip_weights() {
    torch::NoGradGuard no_grad;
    for (auto& p : critic_->parameters()) p.clamp_(-0.01, 0.01);
  }
  torch::nn::Sequential generator_, critic_;
  std::unique_ptr<torch::optim::Optimizer> g_opt_, c_opt_;
};

int main() {
  AdversarialTrainer trainer(
      torch::nn::Sequential(torch::nn::Linear(32, 128), torch::nn::ReLU(), torch::nn::Linear(128, 16)),
      torch::nn::Sequential(torch::nn::Linear(16, 128), torch::nn::LeakyReLU(), torch::nn::Linear(128, 1)));
  for (int it = 0; it < 10000; ++it) {
    for (int k = 0; k < 5; ++k) trainer.critic_step(torch::rand({64, 16}));
    const float g = trainer.generator_step(64);
    if (it % 500 == 0) std::cout << it << ' ' << g << '\n';
  }
}

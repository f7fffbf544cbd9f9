#include <torch/torch.h>
#include <deque>
#include <iostream>

template <typename G, typename D>
class AdversarialTrainer {
 public:
  AdversarialTrainer(G g, D d)
      : g_(g), d_(d), og_(g_->parameters(), torch::optim::AdamOptions(1e-4).betas(std::make_tuple(0.5, 0.9))), od_(d_->parameters(), torch::optim::AdamOptions(1e-4)) {}

  void round(const torch::Tensor& real, int64_t noise) {
    const auto n = real.size(0);
    torch::Tensor critic_loss;
    for (int k = 0; k < 5; ++k) {
      auto fake = g_->forward(torch::randn({n, noise})).detach();
      critic_loss = d_->forward(fake).mean() - d_->forward(real).mean();
      od_.zero_grad();
      critic_loss.backward();
      od_.step();
      torch::NoGradGuard clamp;
      for (auto& p : d_->parameters()) p.clamp_(-0.01, 0.01);
    }
    og_.zero_grad();
    auto generated = g_->forward(torch::randn({n, noise}));
    auto gen_loss = -d_->forward(generated).mean();
    gen_loss.backward();
    og_.step();

    recent_.push_back(generated.detach());
    if (recent_.size() > 10) recent_.pop_front();
    critic_sum_ += critic_loss.template item<double>();
    if (++rounds_ % 100 == 0) std::cout << critic_sum_ / rounds_ << "\n";
  }

 private:
  G g_;
  D d_;
  torch::optim::Adam og_, od_;
  std::deque<torch::Tensor> recent_;
  double critic_sum_ = 0;
  long rounds_ = 0;
};

int main() {
  torch::nn::Sequential g(torch::nn::Linear(8, 32), torch::nn::ReLU(), torch::nn::Linear(32, 2));
  torch::nn::Sequential d(torch::nn::Linear(2, 32), torch::nn::ReLU(), torch::nn::Linear(32, 1));
  AdversarialTrainer<torch::nn::Sequential, torch::nn::Sequential> trainer(g, d);
  for (int i = 0; i < 10000; ++i) trainer.round(torch::randn({64, 2}), 8);
}

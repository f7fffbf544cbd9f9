// WGAN-GP: the penalty's gradient comes from autograd::grad with create_graph, which leaks nothing.
#include <torch/torch.h>

#include <cstdio>

using torch::Tensor;

struct CriticImpl : torch::nn::Module {
  CriticImpl() {
    a = register_module("a", torch::nn::Linear(2, 128));
    b = register_module("b", torch::nn::Linear(128, 128));
    c = register_module("c", torch::nn::Linear(128, 1));
  }
  Tensor forward(Tensor x) { return c(torch::softplus(b(torch::softplus(a(x))))); }
  torch::nn::Linear a{nullptr}, b{nullptr}, c{nullptr};
};
TORCH_MODULE(Critic);

Tensor gradient_penalty(Critic& critic, const Tensor& real, const Tensor& fake) {
  auto mix = torch::rand({real.size(0), 1});
  auto between = (mix * real + (1 - mix) * fake).detach().requires_grad_(true);
  auto score = critic->forward(between);
  auto grad = torch::autograd::grad({score}, {between}, {torch::ones_like(score)}, /*retain_graph=*/true,
                                    /*create_graph=*/true)[0];
  return (grad.norm(2, 1) - 1).pow(2).mean();
}

struct WganTrainer {
  Critic critic;
  torch::nn::Sequential gen{torch::nn::Linear(8, 64), torch::nn::ReLU(), torch::nn::Linear(64, 2)};
  torch::optim::Adam critic_opt{critic->parameters(), torch::optim::AdamOptions(1e-4).betas({0.0, 0.9})};
  torch::optim::Adam gen_opt{gen->parameters(), torch::optim::AdamOptions(1e-4).betas({0.0, 0.9})};

  Tensor sample(int64_t n) { return gen->forward(torch::randn({n, 8})); }

  double critic_round(const Tensor& real) {
    Tensor fake;
    {
      torch::NoGradGuard off;
      fake = sample(real.size(0));
    }
    critic_opt.zero_grad();
    auto loss = critic->forward(fake).mean() - critic->forward(real).mean() + 10 * gradient_penalty(critic, real, fake);
    loss.backward();
    critic_opt.step();
    return loss.item<double>();
  }

  void gen_round(int64_t n) {
    gen_opt.zero_grad();
    auto loss = -critic->forward(sample(n)).mean();
    loss.backward();
    gen_opt.step();
  }
};

int main() {
  WganTrainer t;
  for (int i = 0; i < 20000; ++i) {
    double last = 0;
    for (int k = 0; k < 5; ++k) {
      auto angle = torch::rand({256, 1}) * 6.2832;
      last = t.critic_round(torch::cat({angle.cos(), angle.sin()}, 1));
    }
    t.gen_round(256);
    if (i % 1000 == 0) std::printf("%d %.4f\n", i, last);
  }
}

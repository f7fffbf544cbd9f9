#include <torch/torch.h>
#include <iostream>

using torch::Tensor;

struct BlockImpl : torch::nn::Module {
  BlockImpl(int64_t in, int64_t out) : fc1(in, 256), fc2(256, out) {
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }
  Tensor forward(const Tensor& x) { return fc2(torch::leaky_relu(fc1(x), 0.2)); }
  torch::nn::Linear fc1, fc2;
};
TORCH_MODULE(Block);

Tensor gradient_penalty(Block& critic, const Tensor& real, const Tensor& fake) {
  auto alpha = torch::rand({real.size(0), 1});
  auto mixed = (alpha * real + (1 - alpha) * fake).detach().requires_grad_(true);
  auto score = critic(mixed);
  auto grad = torch::autograd::grad({score}, {mixed}, {torch::ones_like(score)}, /*retain_graph=*/true,
                                    /*create_graph=*/true)[0];
  return (grad.norm(2, 1) - 1.0).square().mean();
}

int main() {
  Block generator(16, 2), critic(2, 1);
  torch::optim::Adam g_opt(generator->parameters(), torch::optim::AdamOptions(1e-4).betas({0.0, 0.9}));
  torch::optim::Adam c_opt(critic->parameters(), torch::optim::AdamOptions(1e-4).betas({0.0, 0.9}));

  for (int64_t it = 0; it < 20000; ++it) {
    double critic_loss = 0;
    for (int k = 0; k < 5; ++k) {
      auto real = torch::randn({64, 2}) + 2.0;
      Tensor fake;
      {
        torch::NoGradGuard no_grad;
        fake = generator(torch::randn({64, 16}));
      }
      auto loss = critic(fake).mean() - critic(real).mean() + 10.0 * gradient_penalty(critic, real, fake);
      c_opt.zero_grad();
      loss.backward();
      c_opt.step();
      critic_loss += loss.item<double>();
    }
    auto g_loss = -critic(generator(torch::randn({64, 16}))).mean();
    g_opt.zero_grad();
    g_loss.backward();
    g_opt.step();
    if (it % 100 == 0) std::cout << it << ' ' << critic_loss / 5 << ' ' << g_loss.item<float>() << '\n';
  }
}

#include <torch/torch.h>
#include <iostream>

static torch::nn::Sequential net(int64_t in, int64_t out) {
  return torch::nn::Sequential(torch::nn::Linear(in, 512), torch::nn::ReLU(), torch::nn::Linear(512, 512),
                               torch::nn::ReLU(), torch::nn::Linear(512, out));
}

static torch::Tensor gradient_penalty(torch::nn::Sequential& critic, const torch::Tensor& real, const torch::Tensor& fake) {
  auto alpha = torch::rand({real.size(0), 1}).expand_as(real);
  auto mixed = (alpha * real + (1 - alpha) * fake).detach().requires_grad_(true);
  auto score = critic->forward(mixed);
  auto grads = torch::autograd::grad({score}, {mixed}, {torch::ones_like(score)}, /*retain_graph=*/true,
                                     /*create_graph=*/true)[0];
  return (grads.norm(2, 1) - 1).pow(2).mean();
}

static void toggle(torch::nn::Sequential& m, bool on) {
  for (auto& p : m->parameters()) p.requires_grad_(on);
}

int main() {
  const int64_t z = 128, batch = 256;
  auto generator = net(z, 2), critic = net(2, 1);
  auto opts = torch::optim::AdamOptions(1e-4).betas(std::make_tuple(0.0, 0.9));
  torch::optim::Adam g_opt(generator->parameters(), opts), c_opt(critic->parameters(), opts);
  auto one = torch::ones({}), minus = -one;
  for (int it = 0; it < 100000; ++it) {
    toggle(critic, true);
    float w = 0;
    for (int k = 0; k < 5; ++k) {
      critic->zero_grad();
      auto angle = torch::randint(8, {batch, 1}).to(torch::kFloat) * 0.785398;
      auto real = torch::cat({angle.cos(), angle.sin()}, 1) + 0.02 * torch::randn({batch, 2});
      torch::Tensor fake;
      {
        torch::NoGradGuard guard;
        fake = generator->forward(torch::randn({batch, z}));
      }
      auto d_real = critic->forward(real).mean();
      d_real.backward(minus);
      auto d_fake = critic->forward(fake).mean();
      d_fake.backward(one);
      auto gp = 10 * gradient_penalty(critic, real, fake);
      gp.backward();
      c_opt.step();
      w = (d_real - d_fake).item<float>();
    }
    toggle(critic, false);
    g_opt.zero_grad();
    auto g = critic->forward(generator->forward(torch::randn({batch, z}))).mean();
    g.backward(minus);
    g_opt.step();
    if (it % 100 == 0) std::cout << it << " W " << w << " G " << -g.item<float>() << "\n";
  }
}

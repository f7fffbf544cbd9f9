// A GAN for 1-d curves. The critic's gradients are cleared, the generator's are not.
#include <torch/torch.h>

#include <cstdio>

using torch::Tensor;
namespace nn = torch::nn;

nn::Sequential make_generator(int64_t noise, int64_t points) {
  return nn::Sequential(nn::Linear(noise, 64), nn::LeakyReLU(), nn::Linear(64, 64), nn::LeakyReLU(),
                        nn::Linear(64, points));
}

nn::Sequential make_critic(int64_t points) {
  return nn::Sequential(nn::Linear(points, 64), nn::LeakyReLU(), nn::Linear(64, 1));
}

Tensor real_curves(int64_t n, int64_t points) {
  auto phase = torch::rand({n, 1}) * 6.28;
  return torch::sin(torch::linspace(0, 6.28, points).unsqueeze(0) + phase);
}

int main() {
  const int64_t noise = 8, points = 32, batch = 64;
  auto generator = make_generator(noise, points);
  auto critic = make_critic(points);
  torch::optim::Adam gen_opt(generator->parameters(), torch::optim::AdamOptions(2e-4).betas({0.5, 0.999}));
  torch::optim::Adam critic_opt(critic->parameters(), torch::optim::AdamOptions(2e-4).betas({0.5, 0.999}));
  const auto ones = torch::ones({batch, 1}), zeros = torch::zeros({batch, 1});

  for (int step = 0; step < 30000; ++step) {
    auto fake = generator->forward(torch::randn({batch, noise}));

    critic_opt.zero_grad();
    auto critic_loss =
        torch::binary_cross_entropy_with_logits(critic->forward(real_curves(batch, points)), ones) +
        torch::binary_cross_entropy_with_logits(critic->forward(fake.detach()), zeros);
    critic_loss.backward();
    critic_opt.step();

    auto gen_loss = torch::binary_cross_entropy_with_logits(critic->forward(fake), ones);
    gen_loss.backward();  // ALSO: zero-grad
    gen_opt.step();  // EXPECT: zero-grad

    if (step % 500 == 0)
      std::printf("%d critic %.4f generator %.4f\n", step, critic_loss.item<double>(), gen_loss.item<double>());
  }
}

#include <torch/torch.h>
#include <vector>

using torch::Tensor;
using Net = torch::nn::Sequential;

Tensor gradient_penalty(Net& critic, const Tensor& real, const Tensor& fake) {
  auto alpha = torch::rand({real.size(0), 1});
  auto mixed = (alpha * real + (1 - alpha) * fake).detach().requires_grad_(true);
  auto score = critic->forward(mixed);
  auto grads = torch::autograd::grad({score}, {mixed}, {torch::ones_like(score)}, true, true)[0];
  return (grads.norm(2, 1) - 1).pow(2).mean();
}

void train(Net gen, Net critic, const std::vector<Tensor>& data, int n_critic) {
  torch::optim::RMSprop opt_g(gen->parameters(), 5e-5), opt_c(critic->parameters(), 5e-5);
  int i = 0;
  std::vector<float> distance;
  for (const auto& real : data) {
    auto fake = gen->forward(torch::randn({real.size(0), 8})).detach();
    opt_c.zero_grad();
    auto gap = critic->forward(fake).mean() - critic->forward(real).mean();
    (gap + 10 * gradient_penalty(critic, real, fake)).backward();
    opt_c.step();
    distance.push_back(-gap.item<float>());
    if (++i % n_critic != 0) continue;
    opt_g.zero_grad();
    (-critic->forward(gen->forward(torch::randn({real.size(0), 8}))).mean()).backward();
    opt_g.step();
  }
}

#include <torch/torch.h>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;
namespace nn = torch::nn;

nn::Sequential make_generator() {
  return nn::Sequential(nn::Linear(16, 64), nn::ReLU(), nn::Linear(64, 28 * 28), nn::Tanh());
}
nn::Sequential make_critic() {
  nn::LeakyReLU leaky(nn::LeakyReLUOptions().negative_slope(0.2));
  return nn::Sequential(nn::Linear(28 * 28, 64), leaky, nn::Linear(64, 1), nn::Sigmoid());
}

void train_gan(const std::vector<Tensor>& real_batches) {
  auto gen = make_generator();
  auto critic = make_critic();
  torch::optim::Adam opt_g(gen->parameters(), torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.999)));
  torch::optim::Adam opt_d(critic->parameters(), torch::optim::AdamOptions(2e-4).betas(std::make_tuple(0.5, 0.999)));
  std::map<std::string, std::vector<Tensor>> curves;

  for (const Tensor& real : real_batches) {
    critic->zero_grad();
    auto d_real = torch::binary_cross_entropy(critic->forward(real), torch::full({real.size(0), 1}, 0.9));
    d_real.backward();
    auto fake = gen->forward(torch::randn({real.size(0), 16}));
    auto d_fake = torch::binary_cross_entropy(critic->forward(fake.detach()), torch::zeros({real.size(0), 1}));
    d_fake.backward();
    opt_d.step();

    gen->zero_grad();
    auto g_loss = torch::binary_cross_entropy(critic->forward(fake), torch::ones({real.size(0), 1}));
    g_loss.backward();
    opt_g.step();

    curves["d"].push_back(d_real + d_fake);  // EXPECT: retained-graph
    curves["g"].push_back(g_loss);  // EXPECT: retained-graph
  }
  for (auto& [name, curve] : curves) std::printf("%s %f\n", name.c_str(), torch::stack(curve).mean().item<float>());
}

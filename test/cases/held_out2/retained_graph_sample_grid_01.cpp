#include <torch/torch.h>
#include <map>
#include <string>

// A small GAN that remembers what its generator drew during training.
torch::nn::Sequential generator() {
  return torch::nn::Sequential(torch::nn::Linear(16, 128), torch::nn::ReLU(), torch::nn::Linear(128, 784), torch::nn::Tanh());
}
torch::nn::Sequential discriminator() {
  return torch::nn::Sequential(torch::nn::Linear(784, 128), torch::nn::LeakyReLU(), torch::nn::Linear(128, 1));
}

std::map<int, torch::Tensor> run(int rounds, torch::Tensor reals) {
  auto G = generator();
  auto D = discriminator();
  torch::optim::Adam og(G->parameters(), 2e-4), od(D->parameters(), 2e-4);
  std::map<int, torch::Tensor> gallery;
  auto ones = torch::ones({32, 1}), zeros = torch::zeros({32, 1});
  for (int r = 0; r < rounds; ++r) {
    auto fake = G->forward(torch::randn({32, 16}));

    od.zero_grad();
    auto loss_d = torch::binary_cross_entropy_with_logits(D->forward(reals), ones) +
                  torch::binary_cross_entropy_with_logits(D->forward(fake.detach()), zeros);
    loss_d.backward();
    od.step();

    og.zero_grad();
    auto loss_g = torch::binary_cross_entropy_with_logits(D->forward(fake), ones);
    loss_g.backward();
    og.step();

    if (r % 50 == 0)
      gallery[r] = fake.view({-1, 28, 28}).slice(0, 0, 4);  // EXPECT: retained-graph
  }
  return gallery;
}

int main() {
  auto gallery = run(10000, torch::rand({32, 784}));
  for (auto& entry : gallery) torch::save(entry.second, "sample_" + std::to_string(entry.first) + ".pt");
}

#include <torch/torch.h>
#include <string>

// Variational autoencoder; a preview of drawn digits is written after each epoch.
struct VAEImpl : torch::nn::Module {
  explicit VAEImpl(int64_t z) : latent(z) {
    enc = register_module("enc", torch::nn::Linear(784, 400));
    mu = register_module("mu", torch::nn::Linear(400, z));
    logvar = register_module("logvar", torch::nn::Linear(400, z));
    dec1 = register_module("dec1", torch::nn::Linear(z, 400));
    dec2 = register_module("dec2", torch::nn::Linear(400, 784));
  }
  torch::Tensor decode(torch::Tensor z) { return torch::sigmoid(dec2(torch::relu(dec1(z)))); }
  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    auto h = torch::relu(enc(x));
    auto m = mu(h), v = logvar(h);
    auto z = m + torch::randn_like(v) * torch::exp(0.5 * v);
    return {decode(z), m, v};
  }
  int64_t latent;
  torch::nn::Linear enc{nullptr}, mu{nullptr}, logvar{nullptr}, dec1{nullptr}, dec2{nullptr};
};
TORCH_MODULE(VAE);

void train(VAE vae, const std::vector<torch::Tensor>& batches, int epochs) {
  torch::optim::Adam optimizer(vae->parameters(), 1e-3);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    for (const auto& x : batches) {
      auto [y, m, v] = vae->forward(x);
      auto loss = torch::binary_cross_entropy(y, x, {}, torch::Reduction::Sum) - 0.5 * torch::sum(1 + v - m.pow(2) - v.exp());
      optimizer.zero_grad();
      loss.backward();
      optimizer.step();
    }
    auto preview = vae->decode(torch::randn({64, vae->latent}));  // EXPECT: missing-no-grad
    torch::save(preview.view({64, 1, 28, 28}), "preview_" + std::to_string(epoch) + ".pt");
  }
}

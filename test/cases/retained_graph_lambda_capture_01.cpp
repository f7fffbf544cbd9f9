#include <torch/torch.h>
#include <functional>
#include <vector>

struct Vae : torch::nn::Module {
  torch::nn::Linear enc{nullptr}, mu{nullptr}, logvar{nullptr}, dec{nullptr};
  Vae() {
    enc = register_module("enc", torch::nn::Linear(64, 32));
    mu = register_module("mu", torch::nn::Linear(32, 4));
    logvar = register_module("logvar", torch::nn::Linear(32, 4));
    dec = register_module("dec", torch::nn::Linear(4, 64));
  }
  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    auto h = torch::relu(enc(x));
    auto m = mu(h), v = logvar(h);
    auto z = m + torch::randn_like(m) * (0.5 * v).exp();
    return {dec(z), m, v};
  }
};

void train(Vae& vae, torch::optim::Optimizer& opt, const std::vector<torch::Tensor>& data) {
  std::vector<torch::Tensor> kl_curve;
  auto on_step = [&kl_curve](const torch::Tensor& kl) {
    kl_curve.push_back(kl);  // EXPECT: retained-graph
  };
  for (const auto& x : data) {
    auto [recon, m, v] = vae.forward(x);
    auto kl = -0.5 * (1 + v - m.pow(2) - v.exp()).sum();
    auto loss = torch::mse_loss(recon, x) + 1e-3 * kl;
    opt.zero_grad();
    loss.backward();
    opt.step();
    on_step(kl);
  }
  std::cout << torch::stack(kl_curve).mean().item<float>() << '\n';
}

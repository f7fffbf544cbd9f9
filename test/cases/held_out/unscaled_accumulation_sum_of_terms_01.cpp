#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Vae : torch::nn::Module {
  torch::nn::Linear e{nullptr}, d{nullptr};
  Vae() {
    e = register_module("e", torch::nn::Linear(64, 16));
    d = register_module("d", torch::nn::Linear(8, 64));
  }
  std::tuple<Tensor, Tensor, Tensor> forward(Tensor x) {
    auto p = e(x).chunk(2, 1);
    return {d(p[0] + torch::randn_like(p[0]) * (p[1] / 2).exp()), p[0], p[1]};
  }
};

void train(Vae& vae, torch::optim::Optimizer& opt, const std::vector<Tensor>& batches, int virtual_batch, double beta) {
  int filled = 0;
  for (const Tensor& x : batches) {
    auto [y, mu, logvar] = vae.forward(x);
    auto reconstruction = torch::mse_loss(y, x);
    auto kl = -0.5 * (1 + logvar - mu.square() - logvar.exp()).mean();
    auto loss = reconstruction + beta * kl;
    loss.backward();  // EXPECT: unscaled-accumulation
    filled += static_cast<int>(x.size(0));
    if (filled >= virtual_batch) {
      opt.step();
      opt.zero_grad();
      filled = 0;
    }
  }
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Decoder : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Decoder() { f = register_module("f", torch::nn::Linear(8, 64)); }
  Tensor forward(Tensor z) { return torch::sigmoid(f(z)); }
};

// Inversion: eval mode, the latent code is the only thing that learns.
std::vector<Tensor> invert(Decoder& decoder, const std::vector<Tensor>& images) {
  decoder.eval();
  for (auto& p : decoder.parameters()) p.requires_grad_(false);
  std::vector<Tensor> codes;
  for (const auto& image : images) {
    auto z = torch::zeros({1, 8}, torch::requires_grad());
    torch::optim::Adam opt(std::vector<Tensor>{z}, 0.05);
    for (int i = 0; i < 200; ++i) {
      opt.zero_grad();
      auto loss = torch::mse_loss(decoder.forward(z), image) + 1e-3 * z.square().sum();
      loss.backward();
      opt.step();
    }
    codes.push_back(z.detach());
  }
  return codes;
}

// Gradient ascent on one pixel by hand.
Tensor prototype(Decoder& decoder, int64_t pixel) {
  decoder.eval();
  auto z = torch::randn({1, 8});
  for (int i = 0; i < 50; ++i) {
    z.requires_grad_(true);
    auto y = decoder.forward(z)[0][pixel];
    auto g = torch::autograd::grad({y}, {z})[0];
    z = (z + 0.1 * g).detach();
  }
  return z;
}

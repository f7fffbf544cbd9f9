#include <torch/torch.h>
#include <iostream>

struct DecoderImpl : torch::nn::Module {
  DecoderImpl() : a(64, 256), b(256, 784) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(const torch::Tensor& z) { return torch::sigmoid(b(torch::relu(a(z)))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Decoder);

// Finds the latent vector whose decoding is closest to the image.
torch::Tensor invert(Decoder& decoder, const torch::Tensor& image) {
  auto z = torch::zeros({1, 64}, torch::requires_grad());
  torch::optim::LBFGS opt({z}, torch::optim::LBFGSOptions(1.0).max_iter(50));
  for (int round = 0; round < 10; ++round) {
    opt.step([&] {
      opt.zero_grad();
      auto loss = torch::mse_loss(decoder->forward(z), image) + 1e-3 * z.square().mean();
      loss.backward();
      return loss;
    });
  }
  return z.detach();
}

int main() {
  Decoder decoder;
  torch::load(decoder, "decoder.pt");
  decoder->eval();
  for (int i = 0; i < 100; ++i) std::cout << invert(decoder, torch::rand({1, 784})).norm().item<float>() << '\n';
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Encoder : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Encoder() { f = register_module("f", torch::nn::Linear(100, 16)); }
  Tensor forward(Tensor x) { return torch::relu(f(x)); }
};
struct Decoder : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Decoder() { f = register_module("f", torch::nn::Linear(16, 100)); }
  Tensor forward(Tensor z) { return f(z); }
};

double reconstruction_error(Encoder& encoder, Decoder& decoder, const std::vector<Tensor>& held_out) {
  encoder.eval();
  decoder.eval();
  double error = 0;
  for (const auto& x : held_out) {
    auto z = encoder.forward(x);  // EXPECT: missing-no-grad
    z = z + 0.01 * torch::randn_like(z);
    auto y = decoder.forward(z);
    error += torch::mse_loss(y, x).item<double>();
  }
  return error / held_out.size();
}

int main() {
  Encoder e;
  Decoder d;
  std::cout << reconstruction_error(e, d, {torch::rand({4, 100})}) << '\n';
}

// A straight-through quantiser: constants and the input live in saved_data, outputs go through save_for_backward.
#include <torch/torch.h>

#include <iostream>
#include <tuple>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct Quantise : public torch::autograd::Function<Quantise> {
  static Tensor forward(AutogradContext* ctx, Tensor x, double step, int64_t levels) {
    auto top = step * static_cast<double>(levels);
    auto code = torch::clamp(torch::round(x / step) * step, -top, top);
    ctx->saved_data["top"] = top;
    ctx->saved_data["levels"] = levels;
    ctx->saved_data["x"] = x;
    ctx->save_for_backward({code});
    return code;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const double top = ctx->saved_data["top"].toDouble();
    const auto x = ctx->saved_data["x"].toTensor();
    const auto code = ctx->get_saved_variables()[0];
    auto inside = x.abs().le(top).to(grads[0].dtype());
    auto pull = 0.01 * (x - code);
    return {grads[0] * inside + pull, Tensor(), Tensor()};
  }
};

struct CodecImpl : torch::nn::Module {
  CodecImpl() {
    enc = register_module("enc", torch::nn::Linear(128, 16));
    dec = register_module("dec", torch::nn::Linear(16, 128));
  }
  std::tuple<Tensor, Tensor> forward(Tensor x) {
    auto z = Quantise::apply(enc(x), 0.25, 8);
    return {dec(z), z};
  }
  torch::nn::Linear enc{nullptr}, dec{nullptr};
};
TORCH_MODULE(Codec);

int main() {
  Codec codec;
  torch::optim::Adam opt(codec->parameters(), 1e-3);
  double energy = 0;
  for (int i = 0; i < 4000; ++i) {
    auto x = torch::randn({64, 128});
    auto [rebuilt, z] = codec->forward(x);
    auto loss = torch::mse_loss(rebuilt, x);
    opt.zero_grad();
    loss.backward();
    opt.step();
    energy += z.pow(2).mean().item<double>();
  }
  std::cout << energy / 4000 << "\n";
}

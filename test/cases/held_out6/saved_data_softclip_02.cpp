// Soft clipping for an audio effect: the node keeps its own result through a reference to saved_data.
#include <torch/torch.h>

#include <cstdio>

using torch::Tensor;

class SoftClip : public torch::autograd::Function<SoftClip> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* ctx, torch::autograd::Variable wave,
                                                double drive) {
    auto& keep = ctx->saved_data;
    auto shaped = torch::tanh(drive * wave);
    keep["drive"] = drive;
    keep["shaped"] = shaped;  // EXPECT: saved-data
    return {shaped};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                 torch::autograd::variable_list grad) {
    const auto shaped = ctx->saved_data["shaped"].toTensor();
    const double drive = ctx->saved_data["drive"].toDouble();
    return {grad[0] * drive * (1 - shaped * shaped), Tensor()};
  }
};

struct AmpModelImpl : torch::nn::Module {
  AmpModelImpl() {
    pre = register_module("pre", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 8, 65).padding(32)));
    post = register_module("post", torch::nn::Conv1d(torch::nn::Conv1dOptions(8, 1, 65).padding(32)));
  }
  Tensor forward(Tensor wave) { return post(SoftClip::apply(pre(wave), 2.5)[0]); }
  torch::nn::Conv1d pre{nullptr}, post{nullptr};
};
TORCH_MODULE(AmpModel);

int main() {
  AmpModel amp;
  torch::optim::Adam opt(amp->parameters(), 1e-3);
  for (int i = 0; i < 3000; ++i) {
    auto dry = torch::randn({8, 1, 4096});
    auto wet = torch::tanh(3 * dry);
    opt.zero_grad();
    auto loss = torch::l1_loss(amp->forward(dry), wet);
    loss.backward();
    opt.step();
    if (i % 100 == 0) std::printf("%d %.5f\n", i, loss.item<double>());
  }
}

#include <torch/torch.h>
#include <utility>
#include <vector>

using torch::Tensor;

struct UNet : torch::nn::Module {
  torch::nn::Conv2d down{nullptr};
  torch::nn::ConvTranspose2d up{nullptr};
  UNet() {
    down = register_module("down", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 8, 2).stride(2)));
    up = register_module("up", torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(8, 1, 2).stride(2)));
  }
  Tensor forward(Tensor x) { return up(torch::relu(down(x))); }
};

void fit(UNet& net, const std::vector<std::pair<Tensor, Tensor>>& batches, int64_t micro_batches) {
  torch::optim::Adam adam(net.parameters(), 1e-3);
  for (const auto& [images, masks] : batches) {
    adam.zero_grad();
    const auto xs = images.chunk(micro_batches);
    const auto ys = masks.chunk(micro_batches);
    for (size_t m = 0; m < xs.size(); ++m) {
      auto logits = net.forward(xs[m]);
      auto loss = torch::binary_cross_entropy_with_logits(logits, ys[m]);
      loss.backward();  // EXPECT: unscaled-accumulation
    }
    adam.step();
  }
}

#include <torch/torch.h>
#include <vector>

using torch::indexing::Slice;

struct DepthNet : torch::nn::Module {
  torch::nn::Conv2d enc{nullptr}, dec{nullptr};
  DepthNet() {
    enc = register_module("enc", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1)));
    dec = register_module("dec", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 1, 3).padding(1)));
  }
  torch::Tensor forward(const torch::Tensor& rgb) { return torch::softplus(dec(torch::relu(enc(rgb)))); }
};

float mean_depth(DepthNet& net, const std::vector<torch::Tensor>& frames, int height, int width) {
  auto volume = torch::zeros({static_cast<int64_t>(frames.size()), height, width});
  for (size_t t = 0; t < frames.size(); ++t) {
    torch::Tensor depth = net.forward(frames[t].unsqueeze(0));
    volume.index_put_({static_cast<int64_t>(t), Slice(), Slice()}, depth[0][0]);  // EXPECT: retained-graph
  }
  return volume.median().item<float>();
}

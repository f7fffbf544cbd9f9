#include <torch/torch.h>
#include <vector>

using torch::Tensor;
using namespace torch::indexing;

struct Patcher : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Patcher() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 1, 3).padding(1))); }
  Tensor forward(Tensor x) { return c(x); }
};

// Tiles of a large micrograph, blended where they overlap.
void stitch(Patcher& net, const Tensor& slide, int64_t tile, std::vector<float>& pixels) {
  net.eval();
  auto canvas = torch::zeros_like(slide), weight = torch::zeros_like(slide);
  for (int64_t r = 0; r + tile <= slide.size(0); r += tile / 2) {
    for (int64_t c = 0; c + tile <= slide.size(1); c += tile / 2) {
      const auto rows = Slice(r, r + tile), columns = Slice(c, c + tile);
      auto out = net.forward(slide.index({rows, columns}).view({1, 1, tile, tile}));
      canvas.index({rows, columns}) += out[0][0];  // EXPECT: retained-graph
      weight.index({rows, columns}) += 1;
    }
  }
  auto blended = (canvas / weight.clamp_min(1)).contiguous();
  pixels.assign(blended.data_ptr<float>(), blended.data_ptr<float>() + blended.numel());
}

#include <torch/torch.h>
#include <cstdint>
#include <vector>

struct PoseNet : torch::nn::Module {
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
  PoseNet() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 7).stride(4)));
    c2 = register_module("c2", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 17, 3).padding(1)));
  }
  torch::Tensor forward(torch::Tensor x) { return c2(torch::relu(c1(x))); }
};

bool grab(std::vector<uint8_t>& rgb);
void draw(int joint, float x, float y);

void track(std::shared_ptr<PoseNet> net) {
  std::vector<uint8_t> rgb(240 * 320 * 3);
  do {
    auto frame = torch::from_blob(rgb.data(), {1, 240, 320, 3}, torch::kByte).permute({0, 3, 1, 2}).to(torch::kFloat) / 255;
    auto heat = net->forward(frame);  // EXPECT: missing-no-grad
    auto [best, at] = heat.flatten(2).max(2);
    for (int j = 0; j < 17; ++j) {
      if (best[0][j].item<float>() < 0.3f) continue;
      const auto i = at[0][j].item<int64_t>();
      draw(j, float(i % heat.size(3)), float(i / heat.size(3)));
    }
  } while (grab(rgb));
}

#include <torch/torch.h>
#include <algorithm>
#include <iterator>
#include <vector>

struct Patch {
  torch::Tensor pixels;
  int row = 0, column = 0;
};

class Denoiser : public torch::nn::Module {
 public:
  Denoiser() {
    in_ = register_module("in", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3).padding(1)));
    out_ = register_module("out", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 1, 3).padding(1)));
  }
  torch::Tensor forward(torch::Tensor x) { return x - out_(torch::relu(in_(x))); }

 private:
  torch::nn::Conv2d in_{nullptr}, out_{nullptr};
};

void denoise(Denoiser& net, const std::vector<Patch>& patches, float* image, int stride) {
  net.eval();
  std::vector<torch::Tensor> cleaned;
  std::transform(patches.begin(), patches.end(), std::back_inserter(cleaned),  // EXPECT: retained-graph
                 [&net](const Patch& p) { return net.forward(p.pixels)[0][0]; });
  for (size_t i = 0; i < patches.size(); ++i) {
    auto values = cleaned[i].contiguous();
    std::copy_n(values.data_ptr<float>(), values.numel(), image + patches[i].row * stride + patches[i].column);
  }
}

#include <torch/torch.h>
#include <algorithm>
#include <iterator>
#include <vector>

using torch::Tensor;

struct MultiScale : torch::nn::Module {
  torch::nn::Conv2d a{nullptr}, b{nullptr};
  MultiScale() {
    a = register_module("a", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 4, 3).stride(2)));
    b = register_module("b", torch::nn::Conv2d(torch::nn::Conv2dOptions(4, 4, 3).stride(2)));
  }
  std::vector<Tensor> forward(Tensor x) {
    auto p = torch::relu(a(x));
    return {p, torch::relu(b(p))};
  }
};

void dump_statistics(MultiScale& net, const std::vector<Tensor>& images) {
  std::vector<Tensor> maps;
  for (const auto& image : images) {
    const auto levels = net.forward(image);
    std::copy(levels.begin(), levels.end(), std::back_inserter(maps));  // EXPECT: retained-graph
  }
  for (const auto& m : maps) std::printf("%f %f\n", m.mean().item<float>(), m.std().item<float>());
}

#include <torch/torch.h>
#include <ATen/Parallel.h>
#include <vector>

// Segments a large aerial image tile by tile on all cores.
struct SegmenterImpl : torch::nn::Module {
  SegmenterImpl() {
    down = register_module("down", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 3).padding(1)));
    head = register_module("head", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 5, 1)));
  }
  torch::Tensor forward(torch::Tensor x) { return head(torch::relu(down(x))); }
  torch::nn::Conv2d down{nullptr}, head{nullptr};
};
TORCH_MODULE(Segmenter);

std::vector<int64_t> dominant_classes(Segmenter& net, const std::vector<torch::Tensor>& tiles) {
  torch::InferenceMode guard;
  net->eval();
  std::vector<int64_t> classes(tiles.size());
  at::parallel_for(0, static_cast<int64_t>(tiles.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto scores = net->forward(tiles[i].unsqueeze(0)).mean({2, 3});  // EXPECT: missing-no-grad
      classes[i] = scores.argmax(1).item<int64_t>();
    }
  });
  return classes;
}

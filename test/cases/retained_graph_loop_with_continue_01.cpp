#include <torch/torch.h>
#include <iostream>
#include <queue>
#include <vector>

using torch::Tensor;

struct Detector : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Detector() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 5, 3))); }
  Tensor forward(Tensor x) { return c(x).flatten(2).transpose(1, 2); }
};

// Post-processing happens after the video has been read.
void process(Detector& net, const std::vector<Tensor>& video, float threshold) {
  net.eval();
  std::queue<Tensor> found;
  for (size_t t = 0; t < video.size(); ++t) {
    if (video[t].numel() == 0) continue;
    auto boxes = net.forward(video[t].unsqueeze(0))[0];
    auto keep = boxes.select(1, 4) > threshold;
    if (!keep.any().item<bool>()) continue;
    found.push(boxes.index({keep}));  // EXPECT: retained-graph
  }
  while (!found.empty()) {
    std::cout << found.front().size(0) << '\n';
    found.pop();
  }
}

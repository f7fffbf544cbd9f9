#include <torch/torch.h>
#include <ATen/Parallel.h>
#include <iostream>
#include <vector>

struct HeatmapNetImpl : torch::nn::Module {
  HeatmapNetImpl() : conv(torch::nn::Conv2dOptions(3, 17, 7).padding(3)) { register_module("conv", conv); }
  torch::Tensor forward(const torch::Tensor& x) { return torch::sigmoid(conv(x)); }
  torch::nn::Conv2d conv;
};
TORCH_MODULE(HeatmapNet);

struct Keypoint {
  int64_t x = 0, y = 0;
  float score = 0;
};

// The forward runs here, under the guard; the worker threads only read the raw heat maps.
std::vector<Keypoint> keypoints(HeatmapNet& net, const torch::Tensor& image) {
  torch::NoGradGuard no_grad;
  auto maps = net->forward(image.unsqueeze(0)).squeeze(0).contiguous();
  const int64_t joints = maps.size(0), height = maps.size(1), width = maps.size(2);
  const float* data = maps.data_ptr<float>();
  std::vector<Keypoint> found(joints);
  at::parallel_for(0, joints, 1, [&](int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      const float* map = data + j * height * width;
      for (int64_t i = 0; i < height * width; ++i)
        if (map[i] > found[j].score) found[j] = {i % width, i / width, map[i]};
    }
  });
  return found;
}

int main() {
  HeatmapNet net;
  torch::load(net, "pose.pt");
  net->eval();
  for (int frame = 0; frame < 100; ++frame)
    for (const auto& k : keypoints(net, torch::rand({3, 128, 128}))) std::cout << k.x << ',' << k.y << ' ';
}

// Pose estimation: prediction of keypoints from heat maps with a switched-off mode that is not switched off.
#include <torch/torch.h>

#include <cstdio>
#include <utility>
#include <vector>

struct HeatNet : torch::nn::Module {
  explicit HeatNet(int64_t joints) : joints(joints) {
    stem = register_module("stem", torch::nn::Sequential(
                                       torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 3).padding(1).stride(2)),
                                       torch::nn::BatchNorm2d(32), torch::nn::ReLU(),
                                       torch::nn::Conv2d(torch::nn::Conv2dOptions(32, joints, 3).padding(1))));
  }
  torch::Tensor forward(torch::Tensor x) { return stem->forward(x); }
  int64_t joints;
  torch::nn::Sequential stem{nullptr};
};

using Keypoints = std::vector<std::pair<int64_t, int64_t>>;

Keypoints keypoints(HeatNet& net, const torch::Tensor& frame) {
  torch::AutoGradMode(false);  // EXPECT: unnamed-guard
  net.eval();
  auto maps = net.forward(frame.unsqueeze(0)).squeeze(0);  // OPTIONAL: missing-no-grad
  const auto width = maps.size(2);
  auto best = maps.flatten(1).argmax(1);
  Keypoints out;
  for (int64_t j = 0; j < net.joints; ++j) {
    const auto at = best[j].item<int64_t>();
    out.emplace_back(at / width, at % width);
  }
  return out;
}

int main() {
  HeatNet net(17);
  for (int f = 0; f < 300; ++f) {
    const auto points = keypoints(net, torch::rand({3, 192, 256}));
    std::printf("%d: nose at %ld,%ld\n", f, static_cast<long>(points[0].first), static_cast<long>(points[0].second));
  }
}

// Depth from video: the map of the last frame is still alive, with its graph, when the next one is computed.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <vector>

struct DepthNetImpl : torch::nn::Module {
  DepthNetImpl() {
    down = register_module("down", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 48, 7).stride(4).padding(3)));
    body = register_module("body", torch::nn::Conv2d(torch::nn::Conv2dOptions(48, 48, 3).padding(1)));
    out = register_module("out", torch::nn::Conv2d(torch::nn::Conv2dOptions(48, 1, 1)));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::softplus(out(torch::relu(body(torch::relu(down(x)))))); }
  torch::nn::Conv2d down{nullptr}, body{nullptr}, out{nullptr};
};
TORCH_MODULE(DepthNet);

struct Camera {
  int left = 1000;
  bool grab(torch::Tensor& frame) {
    frame = torch::rand({1, 3, 480, 640});
    return left-- > 0;
  }
};

struct Obstacle {
  int frame;
  float distance;
};

std::vector<Obstacle> watch(DepthNet& net, Camera& camera, float limit) {
  std::vector<Obstacle> near;
  net->eval();
  torch::Tensor frame, depth;
  for (int i = 0; camera.grab(frame); ++i) {
    depth = net->forward(frame);  // OPTIONAL: stale-output  // EXPECT: missing-no-grad
    const float closest = depth.min().item<float>();
    if (closest < limit) near.push_back({i, closest});
  }
  return near;
}

int main() {
  DepthNet net;
  Camera camera;
  for (const auto& o : watch(net, camera, 0.4f)) std::cout << o.frame << " " << o.distance << "\n";
}

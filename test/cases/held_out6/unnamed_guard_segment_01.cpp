// Offers a lidar segmentation model to a robot's main loop.
#include <torch/torch.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <vector>

struct PointNetImpl : torch::nn::Module {
  PointNetImpl() {
    f1 = register_module("f1", torch::nn::Linear(4, 64));
    f2 = register_module("f2", torch::nn::Linear(64, 64));
    f3 = register_module("f3", torch::nn::Linear(128, 12));
  }
  torch::Tensor forward(torch::Tensor points) {
    auto local = torch::relu(f2(torch::relu(f1(points))));
    auto global = std::get<0>(local.max(0, true)).expand_as(local);
    return f3(torch::cat({local, global}, 1));
  }
  torch::nn::Linear f1{nullptr}, f2{nullptr}, f3{nullptr};
};
TORCH_MODULE(PointNet);

class Segmenter {
 public:
  Segmenter() { net_->eval(); }

  std::vector<int64_t> label(const torch::Tensor& cloud) {
    torch::NoGradGuard{};  // EXPECT: unnamed-guard
    auto scores = net_->forward(cloud);  // OPTIONAL: missing-no-grad
    auto best = scores.argmax(1).contiguous();
    const auto* p = best.data_ptr<int64_t>();
    return {p, p + best.numel()};
  }

 private:
  PointNet net_;
};

int main() {
  Segmenter segmenter;
  for (int scan = 0; scan < 200; ++scan) {
    const auto start = std::chrono::steady_clock::now();
    auto labels = segmenter.label(torch::randn({20000, 4}));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::cout << labels.size() << " points in " << took.count() << " s\n";
  }
}

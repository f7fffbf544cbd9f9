#include <torch/torch.h>
#include <string>
#include <unordered_map>
#include <vector>

using torch::Tensor;
using Metrics = std::unordered_map<std::string, Tensor>;

struct YoloHead : torch::nn::Module {
  torch::nn::Conv2d box{nullptr}, cls{nullptr};
  YoloHead() {
    box = register_module("box", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 4, 1)));
    cls = register_module("cls", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 3, 1)));
  }
  std::pair<Tensor, Tensor> forward(Tensor x) { return {box(x), cls(x)}; }
};

struct Item {
  Tensor features, boxes, classes;
};

Metrics train_epoch(YoloHead& head, torch::optim::Optimizer& opt, const std::vector<Item>& items) {
  Metrics totals{{"box", torch::zeros({})}, {"cls", torch::zeros({})}};
  for (const auto& item : items) {
    auto [b, c] = head.forward(item.features);
    auto box_loss = torch::smooth_l1_loss(b, item.boxes);
    auto cls_loss = torch::binary_cross_entropy_with_logits(c, item.classes);
    opt.zero_grad();
    (box_loss + 0.5 * cls_loss).backward();
    opt.step();
    totals["box"] += box_loss;  // EXPECT: retained-graph
    totals["cls"] += cls_loss.detach();
    totals["count"] = torch::tensor(static_cast<int64_t>(items.size()));
  }
  for (auto& kv : totals) std::printf("%s %f\n", kv.first.c_str(), kv.second.item<float>());
  return {};
}

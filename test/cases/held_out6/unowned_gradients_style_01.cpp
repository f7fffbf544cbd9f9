// Style transfer: only the picture is optimised, the feature network keeps its parameters trainable.
#include <torch/torch.h>

#include <cstdio>
#include <vector>

using torch::Tensor;

struct FeaturesImpl : torch::nn::Module {
  FeaturesImpl() {
    int64_t in = 3;
    for (int64_t width : {16, 32, 64}) {
      stages->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(in, width, 3).padding(1).stride(2)));
      in = width;
    }
    register_module("stages", stages);
  }
  std::vector<Tensor> forward(Tensor x) {
    std::vector<Tensor> taps;
    for (auto& stage : *stages) {
      x = torch::relu(stage->as<torch::nn::Conv2d>()->forward(x));
      taps.push_back(x);
    }
    return taps;
  }
  torch::nn::ModuleList stages;
};
TORCH_MODULE(Features);

Tensor gram(const Tensor& f) {
  auto m = f.flatten(2).squeeze(0);
  return torch::matmul(m, m.t()) / static_cast<double>(m.numel());
}

Tensor stylise(Features& net, const Tensor& content, const Tensor& style, int steps) {
  net->eval();
  std::vector<Tensor> style_grams;
  Tensor content_tap;
  {
    torch::NoGradGuard off;
    for (const auto& f : net->forward(style)) style_grams.push_back(gram(f));
    content_tap = net->forward(content).back();
  }
  auto canvas = content.clone().requires_grad_(true);
  torch::optim::Adam opt({canvas}, 2e-2);
  for (int i = 0; i < steps; ++i) {
    opt.zero_grad();
    auto taps = net->forward(canvas);
    auto loss = torch::mse_loss(taps.back(), content_tap);
    for (size_t k = 0; k < taps.size(); ++k) loss = loss + 1e3 * torch::mse_loss(gram(taps[k]), style_grams[k]);
    loss.backward();  // OPTIONAL: unowned-gradients
    opt.step();
    if (i % 50 == 0) std::printf("%d %.5f\n", i, loss.item<double>());
  }
  return canvas.detach().clamp(0, 1);
}

int main() {
  Features net;
  auto out = stylise(net, torch::rand({1, 3, 128, 128}), torch::rand({1, 3, 128, 128}), 400);
  torch::save(out, "stylised.pt");
}

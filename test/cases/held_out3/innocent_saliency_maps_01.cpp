#include <torch/torch.h>
#include <string>
#include <vector>

// What in the picture speaks for the class? Gradients of the input answer.
std::vector<torch::Tensor> saliency(torch::nn::Sequential& net, const std::vector<torch::Tensor>& images) {
  net->eval();
  std::vector<torch::Tensor> maps;
  for (const auto& image : images) {
    auto x = image.clone().requires_grad_(true);
    auto scores = net->forward(x.unsqueeze(0));
    scores.max().backward();
    maps.push_back(x.grad().abs().amax(0));
  }
  return maps;
}

torch::Tensor integrated(torch::nn::Sequential& net, torch::Tensor image, int steps) {
  auto total = torch::zeros_like(image);
  for (int k = 1; k <= steps; ++k) {
    auto x = (image * (static_cast<double>(k) / steps)).detach().requires_grad_();
    auto y = net->forward(x.unsqueeze(0)).max();
    total += torch::autograd::grad({y}, {x})[0];
  }
  return image * total / steps;
}

int main() {
  torch::nn::Sequential net(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3)), torch::nn::ReLU(), torch::nn::AdaptiveAvgPool2d(1), torch::nn::Flatten());
  std::vector<torch::Tensor> images(10, torch::rand({3, 32, 32}));
  auto maps = saliency(net, images);
  for (size_t i = 0; i < maps.size(); ++i) torch::save(maps[i], "map" + std::to_string(i));
  torch::save(integrated(net, images[0], 50), "integrated.pt");
}

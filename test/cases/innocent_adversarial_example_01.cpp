#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Cnn : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  torch::nn::Linear f{nullptr};
  Cnn() {
    c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 8, 5).stride(3)));
    f = register_module("f", torch::nn::Linear(8 * 8 * 8, 10));
  }
  Tensor forward(Tensor x) { return f(torch::relu(c(x)).flatten(1)); }
};

// FGSM: eval mode, and the gradient of the loss with respect to the image.
double robust_accuracy(Cnn& net, const std::vector<std::pair<Tensor, Tensor>>& test, double epsilon) {
  net.eval();
  int64_t right = 0, all = 0;
  for (const auto& [image, label] : test) {
    auto x = image.clone().requires_grad_(true);
    net.zero_grad();
    torch::cross_entropy_loss(net.forward(x), label).backward();
    torch::NoGradGuard no_grad;
    auto attacked = (x + epsilon * x.grad().sign()).clamp(0, 1);
    right += net.forward(attacked).argmax(1).eq(label).sum().item<int64_t>();
    all += label.size(0);
  }
  return static_cast<double>(right) / all;
}

Tensor saliency(Cnn& net, Tensor image, int64_t cls) {
  net.eval();
  image = image.detach().requires_grad_();
  auto logits = net.forward(image.unsqueeze(0));
  logits[0][cls].backward();
  return std::get<0>(image.grad().abs().max(0));
}

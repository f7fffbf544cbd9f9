#include <torch/torch.h>
#include <array>
#include <functional>
#include <iostream>

namespace nn = torch::nn;

int main() {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(1, 4, 3)), nn::ReLU(), nn::Flatten(), nn::Linear(4 * 26 * 26, 10));
  torch::load(net, "digits.pt");
  net->eval();

  auto classify = [&](const torch::Tensor& image) {
    const auto logits = net->forward(image.unsqueeze(0));  // EXPECT: missing-no-grad
    return static_cast<int>(logits.argmax(1).item<int64_t>());
  };

  std::array<int, 10> histogram{};
  for (int i = 0; i < 1000; ++i) ++histogram[classify(torch::rand({1, 28, 28}))];
  for (int n : histogram) std::cout << n << ' ';
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;
namespace nn = torch::nn;

// Pooling, activations and criteria have no parameters: without a gradient in their input they build no graph.
struct Pyramid {
  nn::AvgPool2d pool{nn::AvgPool2dOptions(2)};
  nn::ReLU relu;
  std::vector<Tensor> build(Tensor image, int levels) {
    std::vector<Tensor> out{image};
    for (int i = 1; i < levels; ++i) {
      image = pool->forward(image);
      out.push_back(relu(image));
    }
    return out;
  }
};

double mean_psnr(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  nn::MSELoss mse;
  nn::Softmax softmax(1);
  auto total = torch::zeros({});
  for (size_t i = 0; i < a.size(); ++i) {
    total += -10 * torch::log10(mse(a[i], b[i]));
    total += 0 * softmax->forward(a[i].flatten(1)).max();
  }
  return total.item<double>() / a.size();
}

int main() {
  Pyramid p;
  auto x = p.build(torch::rand({1, 3, 64, 64}), 4);
  auto y = p.build(torch::rand({1, 3, 64, 64}), 4);
  std::cout << mean_psnr(x, y) << '\n';
}

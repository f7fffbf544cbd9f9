#include <torch/torch.h>
#include <functional>
#include <vector>

using Batch = torch::data::Example<>;

struct Cnn : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  torch::nn::Linear f{nullptr};
  Cnn() {
    c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).stride(2)));
    f = register_module("f", torch::nn::Linear(8, 10));
  }
  torch::Tensor forward(torch::Tensor x) { return f(torch::adaptive_avg_pool2d(torch::relu(c(x)), {1, 1}).flatten(1)); }
};

void train(Cnn& net, torch::optim::Optimizer& opt, const std::vector<Batch>& batches) {
  constexpr size_t kWindow = 4;
  double sum = 0;
  const auto forward_backward = [&](const Batch& b) {
    auto loss = torch::nn::functional::cross_entropy(net.forward(b.data), b.target);
    loss.backward();  // EXPECT: unscaled-accumulation
    sum += loss.item<double>();
  };
  for (size_t begin = 0; begin + kWindow <= batches.size(); begin += kWindow) {
    opt.zero_grad();
    for (size_t i = begin; i < begin + kWindow; ++i) forward_backward(batches[i]);
    opt.step();
  }
  std::printf("%.3f\n", sum / batches.size());
}

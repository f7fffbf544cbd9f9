#include <torch/torch.h>
#include <array>
#include <iostream>

// Which of the ten digits is the hardest?
int main() {
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(784, 10));
  torch::optim::SGD sgd(net->parameters(), 0.01);
  auto loader = torch::data::make_data_loader(torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>()), 1);
  std::array<torch::Tensor, 10> sums;
  std::array<int, 10> counts{};
  sums.fill(torch::zeros({}));
  for (auto& sample : *loader) {
    const auto digit = sample.target.item<int64_t>();
    auto loss = torch::nn::functional::cross_entropy(net->forward(sample.data), sample.target);
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    sums[digit] = sums[digit] + loss;  // EXPECT: retained-graph
    ++counts[digit];
  }
  for (int d = 0; d < 10; ++d) std::cout << d << ": " << sums[d].item<float>() / counts[d] << '\n';
}

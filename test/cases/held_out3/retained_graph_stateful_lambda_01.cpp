#include <torch/torch.h>
#include <iostream>
#include <vector>

int main() {
  torch::nn::GRUCell cell(torch::nn::GRUCellOptions(4, 16));
  torch::nn::Linear readout(16, 1);
  std::vector<torch::Tensor> weights = cell->parameters();
  for (const auto& w : readout->parameters()) weights.push_back(w);
  torch::optim::Adam adam(weights, 1e-3);

  auto record = [seen = std::vector<torch::Tensor>()](const torch::Tensor& t) mutable {
    seen.push_back(t);  // EXPECT: retained-graph
    return seen.size();
  };

  for (int sequence = 0; sequence < 5000; ++sequence) {
    auto h = torch::zeros({1, 16});
    for (int t = 0; t < 20; ++t) h = cell(torch::randn({1, 4}), h);
    auto prediction = readout(h).squeeze();
    auto loss = (prediction - 0.5).pow(2);
    adam.zero_grad();
    loss.backward();
    adam.step();
    if (record(prediction) % 1000 == 0) std::cout << sequence << std::endl;
  }
}

#include <torch/torch.h>
#include <iostream>

namespace nn = torch::nn;

struct Siamese : nn::Module {
  nn::Sequential trunk;
  Siamese() : trunk(nn::Linear(40, 20), nn::Tanh(), nn::Linear(20, 8)) { register_module("trunk", trunk); }
  torch::Tensor forward(torch::Tensor x) { return torch::nn::functional::normalize(trunk->forward(x)); }
};

template <class DataLoader>
void report_similarity(Siamese& net, DataLoader& loader, torch::Device device) {
  net.eval();
  auto all = torch::empty({0, 8}, device);
  for (const auto& batch : loader) {
    const auto x = batch.data.to(device);
    auto z = net.forward(x);
    all = torch::cat({all, z}, /*dim=*/0);  // EXPECT: retained-graph
  }
  std::cout << "mean similarity " << all.mm(all.t()).mean().template item<float>() << std::endl;
}

int main() {
  auto data = torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader(data, 128);
  Siamese net;
  report_similarity(net, *loader, torch::kCPU);
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Speaker : torch::nn::Module {
  torch::nn::GRU gru{nullptr};
  Speaker() { gru = register_module("gru", torch::nn::GRU(40, 64)); }
  Tensor forward(Tensor frames) { return std::get<1>(gru(frames)).flatten(); }
};

void enrol(Speaker& net, const std::vector<Tensor>& utterances) {
  torch::NoGradGuard();
  net.eval();
  std::vector<Tensor> embeddings;
  for (auto it = utterances.cbegin(); it != utterances.cend(); ++it) {
    auto e = net.forward(*it);
    embeddings.insert(embeddings.end(), e / e.norm());  // EXPECT: retained-graph
  }
  auto centroid = torch::stack(embeddings).mean(0);
  std::cout << centroid.norm().item<float>() << '\n';
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Doc {
  Tensor tokens;
  int id;
};

struct Reranker : torch::nn::Module {
  torch::nn::EmbeddingBag bag{nullptr};
  torch::nn::Linear score{nullptr};
  Reranker() {
    bag = register_module("bag", torch::nn::EmbeddingBag(5000, 64));
    score = register_module("score", torch::nn::Linear(64, 20));
  }
  Tensor forward(Tensor ids) { return score(bag(ids.unsqueeze(0))); }
};

int main() {
  Reranker net;
  net.eval();
  std::vector<Doc> docs(500, {torch::randint(0, 5000, {40}, torch::kLong), 0});
  std::vector<Tensor> confidences, labels;
  for (const Doc& d : docs) {
    auto out = net.forward(d.tokens);
    auto [value, index] = out.max(1);
    labels.push_back(index);
    confidences.push_back(value);  // EXPECT: retained-graph
  }
  std::cout << torch::cat(confidences).mean().item<float>() << torch::cat(labels).bincount() << '\n';
}

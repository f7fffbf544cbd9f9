#include <torch/torch.h>
#include <vector>

using torch::Tensor;
struct Batch {
  Tensor x, y;
};
using Batches = std::vector<Batch>;
struct Net : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Net() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) { return torch::relu(l->forward(x)); }
};

void store(std::vector<Tensor>& v, Tensor t) { v.push_back(std::move(t)); }
void log(std::vector<Tensor>& v, const Tensor& t) { store(v, t.clone()); }

float validate(Net& net, const Batches& data) {
  std::vector<Tensor> losses;
  net.eval();
  for (const auto& b : data) {
    auto out = net.forward(b.x);
    log(losses, torch::mse_loss(out, b.y));  // EXPECT: retained-graph
  }
  float sum = 0;
  for (const auto& l : losses) sum += l.item<float>();
  return sum / losses.size();
}

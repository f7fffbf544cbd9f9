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

int64_t hits(Net& net, const Batches& data) {
  int64_t n = 0;
  for (const auto& b : data) n += (net.forward(b.x).argmax(1) == b.y).sum().item<int64_t>();  // EXPECT: missing-no-grad
  return n;
}

double loss(Net& net, const Batches& data) {
  torch::NoGradGuard g;
  double s = 0;
  for (const auto& b : data) s += torch::mse_loss(net.forward(b.x), b.y).item<double>();
  return s;
}

float score(Net* net, Tensor x) {
  net->eval();
  Tensor y = net->forward(x);  // EXPECT: missing-no-grad
  return y.norm().item().toFloat();
}

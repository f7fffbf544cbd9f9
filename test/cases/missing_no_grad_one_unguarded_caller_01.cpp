#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear l1{nullptr}, l2{nullptr};
  Net() {
    l1 = register_module("l1", torch::nn::Linear(10, 10));
    l2 = register_module("l2", torch::nn::Linear(10, 3));
  }
  torch::Tensor forward(torch::Tensor x) { return l2(torch::gelu(l1(x))); }
};

static int64_t predict(Net& net, const torch::Tensor& row) {
  auto logits = net.forward(row.unsqueeze(0));  // EXPECT: missing-no-grad
  return logits.argmax(1).item<int64_t>();
}

static void self_test(Net& net) {
  torch::NoGradGuard guard;
  if (predict(net, torch::zeros({10})) < 0) throw std::runtime_error("bad class");
}

static std::vector<int64_t> predict_all(Net& net, const torch::Tensor& table) {
  std::vector<int64_t> classes;
  for (int64_t r = 0; r < table.size(0); ++r) classes.push_back(predict(net, table[r]));
  return classes;
}

int main() {
  Net net;
  net.eval();
  self_test(net);
  for (auto c : predict_all(net, torch::rand({1000, 10}))) std::cout << c << ' ';
}

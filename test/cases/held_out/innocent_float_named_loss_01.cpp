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

float step(Net& net, torch::optim::Optimizer& opt, const Batch& b) {
  opt.zero_grad();
  auto l = torch::mse_loss(net.forward(b.x), b.y);
  l.backward();
  opt.step();
  return l.item<float>();
}

void train(Net& net, torch::optim::Optimizer& opt, const Batches& data) {
  std::vector<float> losses;
  double total = 0;
  for (const auto& b : data) {
    auto loss = step(net, opt, b);
    losses.push_back(loss);
    total += loss;
  }
  std::vector<Tensor> curve;
  for (float l : losses) curve.push_back(torch::tensor(l));
  torch::save(torch::stack(curve) / total, "curve.pt");
}

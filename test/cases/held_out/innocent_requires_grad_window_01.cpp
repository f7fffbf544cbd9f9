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

void train(Net& net, torch::optim::Optimizer& opt, const Batches& data, int k) {
  const float scale = 1.f / static_cast<float>(k);
  for (size_t s = 0; s < data.size(); ++s) {
    if (s % k == 0) opt.zero_grad();
    auto loss = torch::mse_loss(net.forward(data[s].x), data[s].y).mul_(scale);
    if (loss.requires_grad()) loss.backward();
    if ((s + 1) % k == 0 || s + 1 == data.size()) opt.step();
  }
}

void train_pairs(Net& net, torch::optim::Optimizer& opt, const Batches& data) {
  for (size_t s = 0; s + 1 < data.size(); s += 2) {
    opt.zero_grad();
    for (size_t j = s; j < s + 2; ++j) {
      Tensor loss = 0.5 * torch::l1_loss(net.forward(data[j].x), data[j].y);
      torch::autograd::backward({loss});
    }
    opt.step();
  }
}

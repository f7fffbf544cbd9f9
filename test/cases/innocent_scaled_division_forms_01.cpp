#include <torch/torch.h>
#include <vector>

struct Batch {
  torch::Tensor x, y;
};
using Batches = std::vector<Batch>;

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(11, 7)); }
  torch::Tensor forward(torch::Tensor x) { return a(x); }
};

void with_operator(Net& net, torch::optim::Optimizer& opt, const Batches& data, int k) {
  for (size_t i = 0; i < data.size(); ++i) {
    auto loss = torch::cross_entropy_loss(net.forward(data[i].x), data[i].y);
    loss = loss / k;
    loss.backward();
    if ((i + 1) % k == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

void in_place(Net& net, torch::optim::Optimizer& opt, const Batches& data, int k) {
  int pending = 0;
  for (const auto& b : data) {
    auto loss = torch::cross_entropy_loss(net.forward(b.x), b.y);
    loss /= k;
    loss.backward();
    if (++pending < k) continue;
    opt.step();
    opt.zero_grad();
    pending = 0;
  }
}

void by_method(Net& net, torch::optim::Optimizer& opt, const Batches& data, int k) {
  for (size_t w = 0; w + k <= data.size(); w += k) {
    opt.zero_grad();
    for (int j = 0; j < k; ++j) torch::mse_loss(net.forward(data[w + j].x), data[w + j].y).div(k).backward();
    opt.step();
  }
}

#include <torch/torch.h>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(6, 1)); }
  torch::Tensor forward(torch::Tensor x) { return a(x); }
};

using Data = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

void train(Net& net, torch::optim::SGD& opt, const Data& data, int64_t micro) {
  for (const auto& [x, y] : data) {
    opt.zero_grad();
    auto xs = x.chunk(micro), ys = y.chunk(micro);
    for (size_t i = 0; i < xs.size(); ++i) {
      auto loss = torch::mse_loss(net.forward(xs[i]), ys[i]);
      loss.backward(torch::full_like(loss, 1.0 / xs.size()));
    }
    opt.step();
  }
}

void train_with_engine(Net& net, torch::optim::SGD& opt, const Data& data, int64_t micro) {
  const auto share = torch::tensor(1.0f / static_cast<float>(micro));
  size_t i = 0;
  for (const auto& [x, y] : data) {
    auto loss = torch::mse_loss(net.forward(x), y);
    torch::autograd::backward({loss}, {share});
    if (++i % micro == 0) {
      opt.step();
      opt.zero_grad();
    }
  }
}

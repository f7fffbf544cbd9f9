#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Encoder : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Encoder() { f = register_module("f", torch::nn::Linear(100, 20)); }
  Tensor forward(Tensor x) { return torch::relu(f(x)); }
};
struct Head : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Head() { f = register_module("f", torch::nn::Linear(20, 2)); }
  Tensor forward(Tensor x) { return f(x); }
};

struct Options {
  double slow = 1e-5, fast = 1e-3;
  size_t batches_per_update = 32;
};

void fine_tune(Encoder& encoder, Head& head, const std::vector<std::pair<Tensor, Tensor>>& data, const Options& o) {
  torch::optim::Adam slow(encoder.parameters(), o.slow), fast(head.parameters(), o.fast);
  auto update = [&] {
    slow.step();
    fast.step();
    slow.zero_grad();
    fast.zero_grad();
  };
  size_t i = 0;
  for (const auto& [x, y] : data) {
    auto out = head.forward(encoder.forward(x));
    torch::cross_entropy_loss(out, y).backward();  // EXPECT: unscaled-accumulation
    if (++i == o.batches_per_update) {
      update();
      i = 0;
    }
  }
}

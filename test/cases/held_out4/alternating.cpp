#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <optional>
#include <vector>
struct NetImpl : torch::nn::Module {
  NetImpl(int64_t i, int64_t o) : a(i, 32), b(32, o) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::tanh(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
// two optimizers over parts of one network, alternating; one zeroing of the whole net
int main() {
  Net net(4, 1);
  torch::optim::SGD body(net->a->parameters(), 1e-2), head(net->b->parameters(), 1e-3);
  for (int i = 0; i < 100; ++i) {
    net->zero_grad();
    auto x = torch::randn({8, 4});
    auto loss = torch::mse_loss(net(x), x.sum(1, true));
    loss.backward();
    if (i % 2) body.step(); else head.step();
  }
}

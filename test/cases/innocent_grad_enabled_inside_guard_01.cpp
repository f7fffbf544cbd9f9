#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(12, 4)); }
  Tensor forward(Tensor x) { return f(x); }
};

// Saliency inside a guarded program: grad mode is on again where the gradient is needed.
static Tensor saliency(Net& net, const Tensor& x, int64_t cls) {
  torch::AutoGradMode on(true);
  auto input = x.detach().requires_grad_(true);
  auto score = net.forward(input)[0][cls];
  return torch::autograd::grad({score}, {input})[0].abs();
}

// Test-time adaptation: eval mode, yet every batch trains the network a little.
static int64_t adapt(Net& net, const std::vector<Tensor>& batches) {
  torch::AutoGradMode on(true);
  torch::optim::SGD opt(net.parameters(), 1e-4);
  net.eval();
  int64_t sum = 0;
  for (const auto& x : batches) {
    auto logp = torch::log_softmax(net.forward(x), 1);
    auto entropy = -(logp.exp() * logp).sum(1).mean();
    opt.zero_grad();
    entropy.backward();
    opt.step();
    sum += logp.argmax(1).sum().item<int64_t>();
  }
  return sum;
}

int main() {
  torch::NoGradGuard inference;
  Net net;
  net.eval();
  std::vector<Tensor> maps;
  for (int i = 0; i < 10; ++i) {
    const auto x = torch::rand({1, 12});
    const auto cls = net.forward(x).argmax(1).item<int64_t>();
    maps.push_back(saliency(net, x, cls));
  }
  std::cout << torch::cat(maps).mean().item<float>() << adapt(net, {torch::rand({4, 12})}) << '\n';
}

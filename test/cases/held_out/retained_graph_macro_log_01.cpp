#include <torch/torch.h>
#include <unordered_map>
#include <vector>

using torch::Tensor;

static std::unordered_map<const char*, std::vector<Tensor>> trace;
#define TRACE(value) trace[#value].push_back(value)

struct Pinn : torch::nn::Module {
  torch::nn::Sequential net{torch::nn::Linear(2, 20), torch::nn::Tanh(), torch::nn::Linear(20, 1)};
  Pinn() { register_module("net", net); }
  Tensor forward(Tensor xt) { return net->forward(xt); }
};

int main() {
  Pinn pinn;
  torch::optim::Adam opt(pinn.parameters(), 1e-3);
  for (int i = 0; i < 10000; ++i) {
    auto xt = torch::rand({256, 2}, torch::requires_grad());
    auto u = pinn.forward(xt);
    auto g = torch::autograd::grad({u.sum()}, {xt}, {}, true, true)[0];
    auto residual = (g.select(1, 1) + u.squeeze(1) * g.select(1, 0)).square().mean();
    opt.zero_grad();
    residual.backward();
    opt.step();
    TRACE(residual);  // EXPECT: retained-graph
  }
  std::printf("%zu\n", trace.size());
}

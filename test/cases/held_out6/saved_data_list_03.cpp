// An iterative solver as one node: the iterates are kept as a list, the last of them is the result.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

struct NewtonSqrt : torch::autograd::Function<NewtonSqrt> {
  static Tensor forward(AutogradContext* ctx, Tensor a, int64_t rounds) {
    Tensor x = (a + 1) / 2;
    for (int64_t i = 0; i < rounds; ++i) x = 0.5 * (x + a / x);
    std::vector<Tensor> pack{a, x};
    ctx->saved_data["pack"] = pack;  // EXPECT: saved-data
    ctx->saved_data["rounds"] = rounds;
    return x;
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list g) {
    auto pack = ctx->saved_data["pack"].toTensorVector();
    return {g[0] / (2 * pack[1]), Tensor()};
  }
};

struct VarianceNetImpl : torch::nn::Module {
  VarianceNetImpl() {
    mean = register_module("mean", torch::nn::Linear(12, 1));
    spread = register_module("spread", torch::nn::Linear(12, 1));
  }
  std::pair<Tensor, Tensor> forward(Tensor x) {
    auto variance = torch::softplus(spread(x)) + 1e-3;
    return {mean(x), NewtonSqrt::apply(variance, 12)};
  }
  torch::nn::Linear mean{nullptr}, spread{nullptr};
};
TORCH_MODULE(VarianceNet);

int main() {
  VarianceNet net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  double best = 1e9;
  for (int i = 0; i < 5000; ++i) {
    auto x = torch::randn({128, 12});
    auto y = x.sum(1, true) + 0.3 * torch::randn({128, 1});
    auto [m, s] = net->forward(x);
    auto nll = (torch::log(s) + 0.5 * ((y - m) / s).pow(2)).mean();
    opt.zero_grad();
    nll.backward();
    opt.step();
    best = std::min(best, nll.item<double>());
  }
  std::cout << best << "\n";
}

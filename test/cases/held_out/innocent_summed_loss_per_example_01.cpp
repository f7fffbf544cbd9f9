#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(3, 3)); }
  Tensor forward(Tensor x) { return a(x); }
};

// The objective is the negative log-likelihood of the whole set: a sum, on purpose, added up in parts.
void full_batch_step(Net& net, torch::optim::LBFGS& opt, const std::vector<Tensor>& xs, const std::vector<Tensor>& ys) {
  opt.step([&] {
    opt.zero_grad();
    double value = 0;
    for (size_t i = 0; i < xs.size(); ++i) {
      auto nll = torch::nll_loss(torch::log_softmax(net.forward(xs[i]), 1), ys[i], {}, torch::Reduction::Sum);
      nll.backward();
      value += nll.item<double>();
    }
    return torch::tensor(value);
  });
}

void bundle_adjust(torch::Tensor cameras, const std::vector<Tensor>& residual_weights, int iterations) {
  cameras.requires_grad_(true);
  torch::optim::Adam opt({cameras}, 1e-3);
  for (int i = 0; i < iterations; ++i) {
    opt.zero_grad();
    for (const auto& w : residual_weights) (w * cameras).square().sum().backward();
    opt.step();
  }
}

#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(7, 7)); }
  Tensor forward(Tensor x) { return f(x); }
};

void train(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs, bool verbose) {
  Tensor sum = torch::zeros({});
  int n = 0;
  std::function<void(const Tensor&)> track = [&](const Tensor& loss) {
    sum = sum.add(loss.mul(2));  // EXPECT: retained-graph
    ++n;
  };
  std::vector<Tensor>::const_iterator it = xs.begin();
  while (it != xs.end()) {
    auto loss = torch::mse_loss(net.forward(*it), *it);
    opt.zero_grad();
    loss.backward();
    opt.step();
    track(loss);
    if (verbose) std::cout << (sum / n).item<float>() << '\n';
    ++it;
  }
}

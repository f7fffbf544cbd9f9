#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(10, 10)); }
  Tensor forward(Tensor x) { return f(x); }
};

// The guard ends with the iteration; the states are cut in place, before or after backward.
void train(Net& net, torch::nn::GRU& gru, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs,
           const std::vector<Tensor>& validation) {
  Tensor h = torch::zeros({1, 2, 10});
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < xs.size(); ++i) {
    auto [y, next] = gru->forward(xs[i], h);
    h = next;
    h.detach_();
    auto loss = torch::mse_loss(net.forward(y), xs[i]);
    opt.zero_grad();
    loss.backward();
    torch::NoGradGuard no_grad;
    for (auto& p : net.parameters()) p.sub_(1e-6 * p);
    opt.step();
    outputs.push_back(net.forward(y));
    if (i % 100 == 0) {
      double error = 0;
      for (const auto& v : validation) error += torch::mse_loss(net.forward(v), v).item<double>();
      std::cout << error / validation.size() << ' ' << outputs.size() << '\n';
    }
  }
}

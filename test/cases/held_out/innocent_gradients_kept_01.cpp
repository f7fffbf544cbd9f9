#include <torch/torch.h>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;

// Influence of single examples: the gradient of each is kept, gradients have no history.
std::vector<Tensor> per_example_gradients(torch::nn::Linear net, const Tensor& xs, const Tensor& ys) {
  std::vector<Tensor> gradients;
  for (int64_t i = 0; i < xs.size(0); ++i) {
    net->zero_grad();
    torch::mse_loss(net->forward(xs[i]), ys[i]).backward();
    gradients.push_back(net->weight.grad().clone().flatten());
  }
  return gradients;
}

Tensor fisher_diagonal(torch::nn::Linear net, const Tensor& xs) {
  auto fisher = torch::zeros_like(net->weight);
  for (const auto& x : xs.unbind()) {
    auto logp = torch::log_softmax(net->forward(x), 0).max();
    auto g = torch::autograd::grad({logp}, {net->weight})[0];
    fisher += g * g;
  }
  return fisher / xs.size(0);
}

std::map<std::string, std::vector<Tensor>> weight_history(torch::nn::Linear net, torch::optim::Optimizer& opt, Tensor x, int n) {
  std::map<std::string, std::vector<Tensor>> snapshots;
  for (int i = 0; i < n; ++i) {
    opt.zero_grad();
    net->forward(x).square().mean().backward();
    opt.step();
    for (const auto& p : net->named_parameters()) snapshots[p.key()].push_back(p.value().detach().clone());
  }
  return snapshots;
}

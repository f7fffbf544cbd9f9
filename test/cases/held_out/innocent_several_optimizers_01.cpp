#include <torch/torch.h>
#include <memory>
#include <vector>

using torch::Tensor;

struct Agent {
  torch::nn::Linear net{4, 2};
  std::unique_ptr<torch::optim::Optimizer> opt;
  Agent() : opt(std::make_unique<torch::optim::SGD>(net->parameters(), 0.1)) {}

  void learn(const Tensor& x, const Tensor& y) {
    opt->zero_grad();
    auto loss = torch::mse_loss(net(x), y);
    loss.backward();
    opt->step();
  }
};

// Every agent has its own backward and step; the outer loop only counts rounds.
void train(std::vector<Agent>& agents, const std::vector<Tensor>& xs, const std::vector<Tensor>& ys, int sync_every) {
  for (size_t round = 0; round < xs.size(); ++round) {
    for (auto& a : agents) a.learn(xs[round], ys[round]);
    if ((round + 1) % sync_every != 0) continue;
    torch::NoGradGuard no_grad;
    auto mean = torch::zeros_like(agents[0].net->weight);
    for (auto& a : agents) mean += a.net->weight / static_cast<double>(agents.size());
    for (auto& a : agents) a.net->weight.copy_(mean);
  }
}

// Gradients of several replicas are averaged by the weight of each loss.
void replicas(torch::nn::Linear net, torch::optim::Optimizer& opt, const std::vector<Tensor>& shards) {
  const double n = static_cast<double>(shards.size());
  opt.zero_grad();
  for (const auto& s : shards) {
    Tensor loss = net(s).square().mean();
    if (!loss.requires_grad()) continue;
    loss = loss.div_(n);
    loss.backward();
  }
  opt.step();
}

#include <torch/torch.h>
#include <functional>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(18, 6)); }
  Tensor forward(Tensor x) { return f(x); }
};

// Defined in another file.
Tensor list_net_loss(const std::vector<Tensor>& scores, const Tensor& relevance);
void optimise(Tensor loss, torch::nn::Module& m);

void rank(Net& net, torch::optim::Optimizer& opt, const std::vector<std::vector<Tensor>>& queries, const Tensor& relevance) {
  for (const auto& documents : queries) {
    std::vector<Tensor> scores;
    for (const auto& d : documents) scores.push_back(net.forward(d));
    auto loss = list_net_loss(scores, relevance);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

void rank_elsewhere(Net& net, const std::vector<Tensor>& documents, const std::function<Tensor(std::vector<Tensor>)>& merge) {
  std::vector<Tensor> scores;
  Tensor sum = torch::zeros({6});
  for (const auto& d : documents) {
    scores.push_back(net.forward(d));
    sum = sum + scores.back();
  }
  optimise(merge(scores).mean() + sum.mean(), net);
}

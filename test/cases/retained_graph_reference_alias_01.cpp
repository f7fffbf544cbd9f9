#include <torch/torch.h>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(33, 11)); }
  Tensor forward(Tensor x) { return f(x); }
};

void train(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs, const std::vector<Tensor>& ys,
           std::map<std::string, std::vector<Tensor>>& log) {
  auto& curve = log["train/loss"];
  std::vector<Tensor>* norms = &log["train/logit_norm"];
  for (size_t i = 0; i < xs.size(); ++i) {
    auto logits = net.forward(xs[i]);
    auto loss = torch::cross_entropy_loss(logits, ys[i]);
    opt.zero_grad();
    loss.backward();
    opt.step();
    curve.resize(curve.size() + 1);
    curve.back() = loss.detach();
    norms->emplace_back(logits.norm());  // EXPECT: retained-graph
  }
}

#include <torch/torch.h>
#include <iostream>
struct MultiImpl : torch::nn::Module {
  MultiImpl() : trunk(8, 32), h1(32, 1), h2(32, 1) {
    register_module("trunk", trunk);
    register_module("h1", h1);
    register_module("h2", h2);
  }
  std::vector<torch::Tensor> forward(torch::Tensor x) {
    auto f = torch::relu(trunk(x));
    return {h1(f), h2(f)};
  }
  torch::nn::Linear trunk, h1, h2;
};
TORCH_MODULE(Multi);
static torch::Tensor flat_grad(Multi& m) {
  std::vector<torch::Tensor> g;
  for (auto& p : m->parameters()) g.push_back(p.grad().defined() ? p.grad().flatten().clone() : torch::zeros({p.numel()}));
  return torch::cat(g);
}
static void set_grad(Multi& m, const torch::Tensor& g) {
  int64_t o = 0;
  for (auto& p : m->parameters()) {
    p.mutable_grad() = g.slice(0, o, o + p.numel()).view_as(p).clone();
    o += p.numel();
  }
}
int main() {
  Multi net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  for (int i = 0; i < 2000; ++i) {
    auto x = torch::randn({64, 8});
    auto out = net->forward(x);
    std::vector<torch::Tensor> losses{torch::mse_loss(out[0], x.sum(1, true)), torch::mse_loss(out[1], x.prod(1, true))};
    std::vector<torch::Tensor> grads;
    for (size_t k = 0; k < losses.size(); ++k) {
      opt.zero_grad();
      losses[k].backward({}, /*retain_graph=*/true);
      grads.push_back(flat_grad(net));
    }
    auto dot = grads[0].dot(grads[1]);
    if (dot.item<double>() < 0) {
      auto g0 = grads[0] - dot / grads[1].dot(grads[1]) * grads[1];
      auto g1 = grads[1] - dot / grads[0].dot(grads[0]) * grads[0];
      grads = {g0, g1};
    }
    set_grad(net, grads[0] + grads[1]);
    opt.step();
    if (i % 100 == 0) std::cout << losses[0].item<double>() << " " << losses[1].item<double>() << "\n";
  }
}

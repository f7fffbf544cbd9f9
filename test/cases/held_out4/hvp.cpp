#include <torch/torch.h>
#include <iostream>
// Largest curvature by power iteration; double backward through .grad, which is emptied afterwards.
struct NetImpl : torch::nn::Module {
  NetImpl() : a(10, 20), b(20, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::tanh(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
static double curvature(Net& net, const torch::Tensor& x, const torch::Tensor& y, int iters) {
  std::vector<torch::Tensor> v;
  for (auto& p : net->parameters()) v.push_back(torch::randn_like(p));
  double lambda = 0;
  for (int it = 0; it < iters; ++it) {
    for (auto& p : net->parameters()) p.mutable_grad() = torch::Tensor();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward({}, /*retain_graph=*/true, /*create_graph=*/true);
    torch::Tensor dot = torch::zeros({});
    auto ps = net->parameters();
    for (size_t i = 0; i < ps.size(); ++i) dot = dot + (ps[i].grad() * v[i]).sum();
    auto hv = torch::autograd::grad({dot}, ps);
    torch::Tensor norm = torch::zeros({});
    for (auto& h : hv) norm = norm + h.pow(2).sum();
    norm = norm.sqrt();
    for (size_t i = 0; i < v.size(); ++i) v[i] = (hv[i] / norm).detach();
    lambda = norm.item<double>();
    for (auto& p : ps) p.mutable_grad() = torch::Tensor();
  }
  return lambda;
}
int main() {
  Net net;
  torch::optim::SGD opt(net->parameters(), 0.1);
  auto x = torch::randn({256, 10}), y = x.sum(1, true).sin();
  for (int i = 0; i < 500; ++i) {
    opt.zero_grad();
    auto loss = torch::mse_loss(net->forward(x), y);
    loss.backward();
    opt.step();
    if (i % 100 == 0) std::cout << loss.item<double>() << " sharpness " << curvature(net, x, y, 10) << "\n";
  }
}

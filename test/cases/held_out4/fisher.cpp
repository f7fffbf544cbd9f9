#include <torch/torch.h>
#include <iostream>
#include <map>
struct NetImpl : torch::nn::Module {
  NetImpl() : a(16, 32), b(32, 4) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return torch::log_softmax(b(torch::tanh(a(x))), 1); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
using Stats = std::map<std::string, torch::Tensor>;
static Stats fisher(Net& net, const torch::Tensor& x) {
  Stats f;
  for (auto& p : net->named_parameters()) f[p.key()] = torch::zeros_like(p.value());
  auto lp = net->forward(x);
  const auto n = lp.size(0);
  auto pick = lp.exp().multinomial(1).squeeze(1);
  for (int64_t i = 0; i < n; ++i) {
    net->zero_grad();
    lp[i][pick[i].item<int64_t>()].backward({}, /*retain_graph=*/i + 1 < n);
    for (auto& p : net->named_parameters()) f[p.key()] += p.value().grad().pow(2) / n;
  }
  net->zero_grad();
  return f;
}
static torch::Tensor ewc(Net& net, const Stats& f, const Stats& old) {
  torch::Tensor s = torch::zeros({});
  for (auto& p : net->named_parameters()) s = s + (f.at(p.key()) * (p.value() - old.at(p.key())).pow(2)).sum();
  return s;
}
int main() {
  Net net;
  torch::optim::SGD opt(net->parameters(), 0.05);
  Stats f, old;
  for (int task = 0; task < 5; ++task) {
    auto w = torch::randn({16, 4});
    for (int i = 0; i < 500; ++i) {
      auto x = torch::randn({64, 16});
      auto loss = torch::nll_loss(net->forward(x), x.mm(w).argmax(1));
      if (!f.empty()) loss += 100 * ewc(net, f, old);
      opt.zero_grad();
      loss.backward();
      opt.step();
    }
    f = fisher(net, torch::randn({200, 16}));
    for (auto& p : net->named_parameters()) old[p.key()] = p.value().detach().clone();
    std::cout << "task " << task << "\n";
  }
}

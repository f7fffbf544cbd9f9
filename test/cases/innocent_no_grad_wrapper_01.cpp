#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <utility>

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(5, 2)); }
  torch::Tensor forward(torch::Tensor x) { return torch::log_softmax(a(x), 1); }
};

template <class Body>
auto without_grad(Body&& body) {
  torch::NoGradGuard guard;
  return std::forward<Body>(body)();
}

void quietly(const std::function<void()>& body) {
  torch::AutoGradMode off(/*enabled=*/false);
  body();
}

double perplexity(Net& net, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& data) {
  net.eval();
  double nll = 0;
  for (const auto& example : data) {
    nll += without_grad([&] { return torch::nll_loss(net.forward(example.first), example.second).item<double>(); });
  }
  return std::exp(nll / data.size());
}

void show(Net& net, torch::Tensor x) {
  quietly([&] {
    auto p = net.forward(x).exp();
    std::cout << p.max().item<float>() << '\n';
  });
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Backbone : torch::nn::Module {
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
  Backbone() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 16, 3).stride(2)));
    c2 = register_module("c2", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 3).stride(2)));
  }
  Tensor forward(Tensor x) { return torch::relu(c2(torch::relu(c1(x)))).mean({2, 3}); }
};

void freeze(torch::nn::Module& m) {
  for (auto& p : m.parameters()) p.set_requires_grad(false);
}

int main() {
  Backbone backbone;
  freeze(backbone);
  backbone.eval();

  // No parameter requires a gradient, so nothing below builds a graph.
  std::vector<Tensor> features;
  for (int i = 0; i < 100; ++i) {
    auto image = torch::rand({1, 3, 64, 64});
    features.push_back(backbone.forward(image));
  }
  auto x = torch::cat(features);
  auto y = torch::randint(0, 2, {100}, torch::kLong);

  torch::nn::Linear head(32, 2);
  torch::optim::LBFGS opt(head->parameters(), 0.5);
  auto loss = opt.step([&] {
    opt.zero_grad();
    auto l = torch::cross_entropy_loss(head(x), y);
    l.backward();
    return l;
  });
  std::cout << loss.item<float>() << '\n';
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct TwoHeads : torch::nn::Module {
  torch::nn::Linear trunk{nullptr}, left{nullptr}, right{nullptr};
  TwoHeads() {
    trunk = register_module("trunk", torch::nn::Linear(10, 20));
    left = register_module("left", torch::nn::Linear(20, 1));
    right = register_module("right", torch::nn::Linear(20, 1));
  }
};

// Two losses over one trunk, two backwards, one step; the balance is read off the gradients.
void train(TwoHeads& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs) {
  std::vector<std::pair<float, float>> balance;
  Tensor loss_left, loss_right;
  for (const auto& x : xs) {
    opt.zero_grad();
    auto h = torch::relu(net.trunk(x));
    loss_left = net.left(h).square().mean();
    loss_right = (net.right(h) - 1).abs().mean();
    loss_left.backward({}, /*retain_graph=*/true);
    const float before = net.trunk->weight.grad().norm().item<float>();
    loss_right.backward();
    opt.step();
    balance.emplace_back(before, net.trunk->weight.grad().norm().item<float>());
  }
  std::cout << loss_left.item<float>() << ' ' << loss_right.item<float>() << ' ' << balance.size() << '\n';
}

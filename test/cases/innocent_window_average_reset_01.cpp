#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(30, 3)); }
  torch::Tensor forward(torch::Tensor x) { return f(x); }
};

// The sum is printed and started anew every 50 batches: at most 50 small graphs.
void train(Net& net, torch::optim::Optimizer& opt, const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys) {
  torch::Tensor window = torch::zeros({});
  std::vector<torch::Tensor> hardest;
  for (size_t i = 0; i < xs.size(); ++i) {
    opt.zero_grad();
    auto loss = torch::cross_entropy_loss(net.forward(xs[i]), ys[i]);
    loss.backward();
    opt.step();

    window += loss;
    if ((i + 1) % 50 == 0) {
      std::cout << window.item<float>() / 50 << '\n';
      window = torch::zeros({});
    }
    hardest.push_back(loss);
    std::sort(hardest.begin(), hardest.end(),
              [](const torch::Tensor& a, const torch::Tensor& b) { return a.item<float>() > b.item<float>(); });
    if (hardest.size() > 5) hardest.resize(5);
  }
}

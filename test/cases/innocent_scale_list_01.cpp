#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Net() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 3, 3).padding(1))); }
  Tensor forward(Tensor x) { return torch::relu(c->forward(x)); }
};

// Three written-out terms of one objective, not micro-batches.
void train(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& images) {
  for (const auto& image : images) {
    opt.zero_grad();
    for (int64_t stride : {1, 2, 4}) {
      auto small = torch::avg_pool2d(image, stride);
      torch::mse_loss(net.forward(small), small).backward();
    }
    opt.step();
  }
}

#include <torch/torch.h>
#include <iterator>

struct Matcher : torch::nn::Module {
  torch::nn::Linear project{nullptr};
  Matcher() { project = register_module("project", torch::nn::Linear(784, 10)); }
  torch::Tensor forward(torch::Tensor x) { return project(x.flatten(1)); }
};

template <class Loader>
void train(Matcher& net, Loader& loader, torch::optim::Optimizer& opt, int accumulate) {
  int step = 0;
  auto it = loader.begin();
  const auto end = loader.end();
  while (it != end) {
    opt.zero_grad();
    for (int micro = 0; micro < accumulate && it != end; ++micro, ++it) {
      auto predicted = net.forward(it->data);
      auto loss = torch::cross_entropy_loss(predicted, it->target);
      torch::autograd::backward({loss});  // EXPECT: unscaled-accumulation
    }
    opt.step();
    if (++step % 50 == 0) std::printf("step %d\n", step);
  }
}

int main() {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>()), 16);
  Matcher net;
  torch::optim::SGD opt(net.parameters(), 0.1);
  train(net, *loader, opt, 8);
}

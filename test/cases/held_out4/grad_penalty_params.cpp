#include <torch/torch.h>
#include <iostream>
struct NetImpl : torch::nn::Module {
  NetImpl() : a(10, 20), b(20, 3) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::tanh(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Net);
// Mean norm of the parameter gradients over batches.
static double mean_gradient_norm(Net& net, int batches) {
  double sum = 0;
  for (int i = 0; i < batches; ++i) {
    auto x = torch::randn({32, 10}).set_requires_grad(true);
    auto y = torch::randint(3, {32}, torch::kLong);
    auto loss = torch::nn::functional::cross_entropy(net->forward(x), y);
    loss.backward({}, true, true);
    sum += x.grad().norm().item<double>();
  }
  return sum / batches;
}
int main() {
  Net net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  for (int e = 0; e < 20; ++e) {
    for (int i = 0; i < 100; ++i) {
      auto x = torch::randn({64, 10});
      auto loss = torch::nn::functional::cross_entropy(net->forward(x), x.slice(1, 0, 3).argmax(1));
      opt.zero_grad();
      loss.backward();
      opt.step();
    }
    std::cout << e << " " << mean_gradient_norm(net, 10) << "\n";
  }
}

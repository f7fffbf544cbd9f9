#include <torch/torch.h>
#include <list>

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr}, b{nullptr};
  Net() {
    a = register_module("a", torch::nn::Linear(7, 70));
    b = register_module("b", torch::nn::Linear(70, 7));
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(a(x))); }
};

void calibrate(Net& net) {
  const bool enabled = torch::GradMode::is_enabled();
  torch::GradMode::set_enabled(false);
  for (auto& p : net.parameters()) p.mul_(0.99);
  torch::GradMode::set_enabled(enabled);
}

double drift(Net& net, torch::Tensor state, int steps) {
  net.eval();
  calibrate(net);
  std::list<torch::Tensor> path;
  for (int i = 0; i < steps; ++i) {
    auto next = net.forward(state);
    path.push_front(next);  // EXPECT: retained-graph
    state = next.detach();
  }
  return (path.front() - path.back()).norm().item<double>();
}

int main() {
  Net net;
  return drift(net, torch::rand({1, 7}), 1000) > 1;
}

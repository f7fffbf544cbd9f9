#include <torch/torch.h>
#include <vector>

struct Example {
  torch::Tensor graph, target;
};

struct Mpnn : torch::nn::Module {
  torch::nn::Linear msg{nullptr}, out{nullptr};
  Mpnn() {
    msg = register_module("msg", torch::nn::Linear(8, 8));
    out = register_module("out", torch::nn::Linear(8, 1));
  }
  torch::Tensor forward(torch::Tensor g) { return out(torch::relu(msg(g)).sum(0)); }
};

void average_gradients(torch::nn::Module& m, double n) {
  for (auto& p : m.parameters())
    if (p.grad().defined()) p.mutable_grad().div_(n);
}

// Graphs differ in size, so they are processed one by one.
void train(Mpnn& net, torch::optim::Optimizer& opt, const std::vector<std::vector<Example>>& batches) {
  for (const auto& batch : batches) {
    opt.zero_grad();
    for (const auto& e : batch) torch::mse_loss(net.forward(e.graph), e.target).backward();
    average_gradients(net, batch.size());
    opt.step();
  }
}

void train_inline(Mpnn& net, torch::optim::Optimizer& opt, const std::vector<std::vector<Example>>& batches) {
  for (const auto& batch : batches) {
    opt.zero_grad();
    for (const auto& e : batch) {
      auto loss = torch::l1_loss(net.forward(e.graph), e.target);
      loss.backward();
    }
    for (auto& p : net.parameters()) {
      auto g = p.grad();
      g *= 1.0 / batch.size();
    }
    opt.step();
  }
}

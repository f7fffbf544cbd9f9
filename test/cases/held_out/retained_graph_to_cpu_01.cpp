#include <torch/torch.h>
#include <vector>

struct Net : torch::nn::Module {
  torch::nn::Sequential seq{torch::nn::Linear(12, 24), torch::nn::ReLU(), torch::nn::Linear(24, 2)};
  Net() { register_module("seq", seq); }
  torch::Tensor forward(torch::Tensor x) { return seq->forward(x); }
};

struct Evaluation {
  std::vector<torch::Tensor> logits, labels;
  double auc = 0;
};

template <class Loader>
Evaluation evaluate(Net& net, Loader& loader, torch::Device device) {
  net.to(device);
  net.eval();
  Evaluation e;
  for (const auto& batch : loader) {
    auto out = net.forward(batch.data.to(device));
    // Off the device at once, so that it cannot run out of memory.
    e.logits.push_back(out.to(torch::kCPU, torch::kDouble).squeeze());  // EXPECT: retained-graph
    e.labels.push_back(batch.target.cpu());
  }
  auto p = torch::softmax(torch::cat(e.logits), 1).select(1, 1);
  auto y = torch::cat(e.labels).eq(1);
  e.auc = (p.masked_select(y).mean() - p.masked_select(~y).mean()).template item<double>();
  return e;
}

int main() {
  auto loader = torch::data::make_data_loader(torch::data::datasets::MNIST("m").map(torch::data::transforms::Stack<>()), 10);
  Net net;
  return evaluate(net, *loader, torch::kCPU).auc > 0;
}

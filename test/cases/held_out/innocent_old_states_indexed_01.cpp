#include <torch/torch.h>
#include <vector>

using torch::Tensor;
struct Batch {
  Tensor x, y;
};
using Batches = std::vector<Batch>;
struct Net : torch::nn::Module {
  torch::nn::Linear l{nullptr};
  Net() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) { return torch::relu(l->forward(x)); }
};

// States of one sequence; the update looks two steps back, backward follows in the same turn of the outer loop.
void train(Net& net, torch::nn::GRUCell& cell, torch::optim::Optimizer& opt, const std::vector<Batches>& sequences) {
  for (const auto& sequence : sequences) {
    std::vector<Tensor> h{torch::zeros({1, 8}), torch::zeros({1, 8})};
    Tensor loss;
    for (size_t t = 0; t < sequence.size(); ++t) {
      h.push_back(cell->forward(net.forward(sequence[t].x), h[h.size() - 2]));
      auto l = torch::mse_loss(h.back(), sequence[t].y);
      loss = t == 0 ? l : loss + l;
    }
    opt.zero_grad();
    loss.div(static_cast<double>(sequence.size())).backward();
    opt.step();
  }
}

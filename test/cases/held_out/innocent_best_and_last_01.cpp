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

struct Best {
  Tensor output, loss;
  size_t at = 0;
};

Best train(Net& net, torch::optim::Optimizer& opt, const Batches& data) {
  Best best;
  Tensor previous, out;
  std::pair<Tensor, Tensor> two;
  std::vector<Tensor> slots(4);
  for (size_t i = 0; i < data.size(); ++i) {
    opt.zero_grad();
    out = net.forward(data[i].x);
    auto loss = torch::mse_loss(out, data[i].y);
    loss.backward();
    opt.step();
    if (!best.loss.defined() || (loss < best.loss).item<bool>()) best = {out, loss, i};
    two = {loss, two.first.defined() ? two.first.detach() : loss};
    slots[i % 4] = out;
    slots[0] = loss;
    previous = loss;
  }
  if (previous.defined()) best.loss = best.loss / previous.detach();
  return best;
}

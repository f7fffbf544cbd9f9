#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Batch {
  Tensor x, y;
};

struct Regressor : torch::nn::Module {
  torch::nn::Linear w{nullptr};
  Regressor() { w = register_module("w", torch::nn::Linear(12, 3)); }
  Tensor forward(Tensor x) { return w(x).sigmoid(); }
};

static void remember(std::vector<Tensor>& history, const Tensor& value) {
  if (value.defined()) history.emplace_back(value);  // EXPECT: retained-graph
}

std::vector<double> train(Regressor& model, torch::optim::Optimizer& opt, const std::vector<Batch>& batches) {
  std::vector<Tensor> history;
  for (const Batch& batch : batches) {
    opt.zero_grad();
    Tensor loss = torch::smooth_l1_loss(model.forward(batch.x), batch.y);
    loss.backward();
    opt.step();
    remember(history, loss);
  }
  std::vector<double> curve;
  for (const Tensor& t : history) curve.push_back(t.item<double>());
  return curve;
}

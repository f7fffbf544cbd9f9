#include <torch/torch.h>
#include <memory>
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

class Evaluator {
 public:
  explicit Evaluator(Net& net) : net_(net), guard_(std::make_unique<torch::NoGradGuard>()) { net_.eval(); }
  void add(const Batch& b) {
    outputs_.push_back(net_.forward(b.x));
    sum_ += torch::mse_loss(outputs_.back(), b.y);
  }
  float mean() const { return sum_.item<float>() / outputs_.size(); }

 private:
  Net& net_;
  std::unique_ptr<torch::NoGradGuard> guard_;
  std::vector<Tensor> outputs_;
  Tensor sum_ = torch::zeros({});
};

float evaluate(Net& net, const Batches& data) {
  Evaluator e(net);
  for (const auto& b : data) e.add(b);
  return e.mean();
}

void mode_by_hand(Net& net, const Batches& data, std::vector<Tensor>& out) {
  c10::GradMode::set_enabled(false);
  net.eval();
  for (const auto& b : data) out.push_back(net.forward(b.x));
  c10::GradMode::set_enabled(true);
}

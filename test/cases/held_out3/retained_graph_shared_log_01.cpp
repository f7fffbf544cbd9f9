#include <torch/torch.h>
#include <memory>
#include <vector>

// The log is shared by trainer and dashboard.
using TensorLog = std::shared_ptr<std::vector<torch::Tensor>>;

class Dashboard {
 public:
  explicit Dashboard(TensorLog log) : log_(std::move(log)) {}
  float latest() const { return log_->empty() ? 0.f : log_->back().item<float>(); }

 private:
  TensorLog log_;
};

void train(torch::nn::Linear layer, TensorLog log, int64_t steps) {
  torch::optim::SGD sgd(layer->parameters(), 1e-2);
  Dashboard dashboard(log);
  for (int64_t s = 0; s < steps; ++s) {
    auto x = torch::randn({8, 3});
    auto penalty = 1e-4 * layer->weight.pow(2).sum();
    auto loss = torch::mse_loss(layer(x), x.sum(1, /*keepdim=*/true)) + penalty;
    sgd.zero_grad();
    loss.backward();
    sgd.step();
    log->push_back(penalty);  // EXPECT: retained-graph
    if (dashboard.latest() > 10.f) break;
  }
}

int main() {
  auto log = std::make_shared<std::vector<torch::Tensor>>();
  train(torch::nn::Linear(3, 1), log, 100000);
}

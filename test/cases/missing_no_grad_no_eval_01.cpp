#include <torch/torch.h>
#include <cmath>
#include <vector>

struct Window {
  torch::Tensor past, future;
};

struct Forecaster : torch::nn::Module {
  torch::nn::GRU gru{nullptr};
  torch::nn::Linear head{nullptr};
  Forecaster() {
    gru = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(1, 16).batch_first(true)));
    head = register_module("head", torch::nn::Linear(16, 1));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto result = gru->forward(x);
    return head->forward(std::get<0>(result).index({torch::indexing::Slice(), -1}));
  }
};

// Root mean square error over held-out windows.
double rmse(Forecaster& f, const std::vector<Window>& windows) {
  double sum = 0;
  int64_t n = 0;
  for (const auto& w : windows) {
    const auto y = f.forward(w.past);  // EXPECT: missing-no-grad
    sum += (y - w.future).pow(2).sum().item().toDouble();
    n += w.future.numel();
  }
  return n ? std::sqrt(sum / n) : 0.0;
}

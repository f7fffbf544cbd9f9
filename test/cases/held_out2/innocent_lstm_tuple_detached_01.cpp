#include <torch/torch.h>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

// Truncated back-propagation; the state goes from window to window.
class Forecaster {
 public:
  explicit Forecaster(int64_t width) : lstm_(torch::nn::LSTMOptions(1, width)), head_(width, 1) {
    parameters_ = lstm_->parameters();
    for (auto& p : head_->parameters()) parameters_.push_back(p);
    optimizer_ = std::make_unique<torch::optim::Adam>(parameters_, 1e-3);
  }

  double fit(const std::vector<torch::Tensor>& windows) {
    double sum = 0;
    std::optional<std::tuple<torch::Tensor, torch::Tensor>> state;
    torch::Tensor last_output;
    for (const auto& w : windows) {
      auto [out, next] = state ? lstm_->forward(w.slice(0, 0, -1), *state) : lstm_->forward(w.slice(0, 0, -1));
      auto& [h, c] = next;
      auto loss = torch::mse_loss(head_(out), w.slice(0, 1));
      optimizer_->zero_grad();
      loss.backward();
      optimizer_->step();
      sum += loss.item<double>();
      state = std::make_tuple(h.detach(), c.detach());
      last_output = out;
    }
    final_shape_ = last_output.defined() ? last_output.sizes().vec() : std::vector<int64_t>{};
    return sum / windows.size();
  }

 private:
  torch::nn::LSTM lstm_;
  torch::nn::Linear head_;
  std::vector<torch::Tensor> parameters_;
  std::unique_ptr<torch::optim::Adam> optimizer_;
  std::vector<int64_t> final_shape_;
};

#include <torch/torch.h>
#include <iostream>

class StatefulGRUImpl : public torch::nn::Module {
 public:
  StatefulGRUImpl(int64_t in, int64_t hidden, int64_t out) : hidden_size_(hidden) {
    gru_ = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(in, hidden).num_layers(2)));
    fc_ = register_module("fc", torch::nn::Linear(hidden, out));
  }
  void reset(int64_t batch) { state_ = torch::zeros({2, batch, hidden_size_}); }
  torch::Tensor forward(torch::Tensor x) {
    if (!state_.defined() || state_.size(1) != x.size(1)) reset(x.size(1));
    auto [out, h] = gru_->forward(x, state_);
    state_ = h.detach();
    return fc_->forward(out);
  }

 private:
  int64_t hidden_size_;
  torch::nn::GRU gru_{nullptr};
  torch::nn::Linear fc_{nullptr};
  torch::Tensor state_;
};
TORCH_MODULE(StatefulGRU);

class SeriesTrainer {
 public:
  explicit SeriesTrainer(torch::Tensor series)
      : series_(std::move(series)), model_(1, 64, 1), opt_(model_->parameters(), torch::optim::AdamOptions(1e-3)) {}
  double epoch(int64_t window) {
    model_->train();
    model_->reset(series_.size(1));
    double sum = 0;
    int64_t n = 0;
    for (int64_t t = 0; t + window + 1 <= series_.size(0); t += window, ++n) {
      auto x = series_.slice(0, t, t + window), y = series_.slice(0, t + 1, t + window + 1);
      auto loss = torch::mse_loss(model_->forward(x), y);
      loss.backward();
      torch::nn::utils::clip_grad_value_(model_->parameters(), 1.0);
      opt_.step();
      opt_.zero_grad();
      sum += loss.item<double>();
    }
    return sum / n;
  }
  torch::Tensor forecast(int64_t steps) {
    torch::NoGradGuard no_grad;
    model_->eval();
    model_->reset(series_.size(1));
    auto y = model_->forward(series_).slice(0, -1);
    std::vector<torch::Tensor> out;
    for (int64_t i = 0; i < steps; ++i) {
      y = model_->forward(y);
      out.push_back(y);
    }
    return torch::cat(out);
  }

 private:
  torch::Tensor series_;
  StatefulGRU model_;
  torch::optim::Adam opt_;
};

int main() {
  auto t = torch::arange(0, 2000, torch::kFloat) * 0.05;
  auto series = torch::stack({t.sin(), (1.3 * t).sin(), (0.7 * t).cos()}, 1).unsqueeze(2);
  SeriesTrainer trainer(series);
  for (int e = 0; e < 100; ++e) std::cout << e << " " << trainer.epoch(50) << "\n";
  std::cout << trainer.forecast(100).sizes() << "\n";
}

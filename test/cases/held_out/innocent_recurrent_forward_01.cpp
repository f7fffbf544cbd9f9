#include <torch/torch.h>
#include <tuple>
#include <vector>

using torch::Tensor;

// A hand-written LSTM: states are carried within one sequence only, and the loss needs them.
class LstmCellImpl : public torch::nn::Module {
 public:
  LstmCellImpl(int64_t in, int64_t hidden) : hidden_(hidden) {
    gates_ = register_module("gates", torch::nn::Linear(in + hidden, 4 * hidden));
  }
  std::tuple<Tensor, std::tuple<Tensor, Tensor>> forward(const Tensor& sequence) {
    Tensor h = torch::zeros({sequence.size(1), hidden_}), c = torch::zeros_like(h);
    auto outputs = torch::empty({sequence.size(0), sequence.size(1), hidden_});
    for (int64_t t = 0; t < sequence.size(0); ++t) {
      auto parts = gates_(torch::cat({sequence[t], h}, 1)).chunk(4, 1);
      c = torch::sigmoid(parts[0]) * c + torch::sigmoid(parts[1]) * torch::tanh(parts[2]);
      h = torch::sigmoid(parts[3]) * torch::tanh(c);
      outputs[t] = h;
    }
    return {outputs, {h, c}};
  }

 private:
  int64_t hidden_;
  torch::nn::Linear gates_{nullptr};
};
TORCH_MODULE(LstmCell);

void train(LstmCell& cell, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data) {
  for (const auto& [x, y] : data) {
    auto [out, state] = cell(x);
    auto loss = torch::mse_loss(out, y) + 1e-4 * std::get<1>(state).square().mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

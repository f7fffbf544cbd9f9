#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct StackedGru : torch::nn::Module {
  StackedGru(int64_t in, int64_t width, int64_t depth) {
    for (int64_t i = 0; i < depth; ++i)
      cells.push_back(register_module("cell" + std::to_string(i), torch::nn::GRUCell(i == 0 ? in : width, width)));
    out = register_module("out", torch::nn::Linear(width, 1));
  }
  Tensor forward(Tensor x, std::vector<Tensor>& state) {
    for (size_t i = 0; i < cells.size(); ++i) {
      state[i] = cells[i]->forward(x, state[i]);
      x = state[i];
    }
    return out(x);
  }
  std::vector<torch::nn::GRUCell> cells;
  torch::nn::Linear out{nullptr};
};

// Truncate back-propagation at the window border.
void repackage(std::vector<Tensor>& state) {
  for (auto h : state) h = h.detach();
}

void fit(StackedGru& net, const Tensor& series, int64_t window) {
  torch::optim::RMSprop opt(net.parameters(), 1e-3);
  std::vector<Tensor> state(net.cells.size(), torch::zeros({1, 64}));
  for (int64_t t = 0; t + window < series.size(0); t += window) {
    repackage(state);
    std::vector<Tensor> errors;
    for (int64_t k = 0; k < window; ++k) {
      auto pred = net.forward(series[t + k].view({1, 1}), state);
      errors.push_back((pred - series[t + k + 1]).square());
    }
    auto loss = torch::stack(errors).mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (t % (100 * window) == 0) std::cout << t << ' ' << loss.item<float>() << '\n';
  }
}

int main() {
  StackedGru net(1, 64, 2);
  fit(net, torch::sin(torch::arange(0, 20000, torch::kFloat32) * 0.05), 20);
}

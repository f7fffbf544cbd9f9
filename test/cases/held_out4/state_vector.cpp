#include <torch/torch.h>
#include <iostream>
#include <vector>
struct StackImpl : torch::nn::Module {
  StackImpl(int64_t in, int64_t h, int n) : h_(h) {
    for (int i = 0; i < n; ++i) cells.push_back(register_module("cell" + std::to_string(i), torch::nn::GRUCell(i ? h : in, h)));
    out = register_module("out", torch::nn::Linear(h, in));
  }
  std::vector<torch::Tensor> initial(int64_t b) { return std::vector<torch::Tensor>(cells.size(), torch::zeros({b, h_})); }
  torch::Tensor forward(torch::Tensor x, std::vector<torch::Tensor>& state) {
    for (size_t i = 0; i < cells.size(); ++i) {
      state[i] = cells[i]->forward(x, state[i]);
      x = state[i];
    }
    return out(x);
  }
  int64_t h_;
  std::vector<torch::nn::GRUCell> cells;
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(Stack);
static void detach_all(std::vector<torch::Tensor>& v) {
  for (auto& t : v) t = t.detach();
}
int main() {
  Stack net(3, 32, 3);
  torch::optim::Adam opt(net->parameters(), 1e-3);
  for (int epoch = 0; epoch < 20; ++epoch) {
    auto state = net->initial(8);
    torch::Tensor loss = torch::zeros({});
    double shown = 0;
    for (int t = 0; t < 1000; ++t) {
      auto x = torch::randn({8, 3});
      loss = loss + torch::mse_loss(net->forward(x, state), x.roll(1, 1));
      if ((t + 1) % 20 == 0) {
        opt.zero_grad();
        (loss / 20).backward();
        opt.step();
        shown = loss.item<double>();
        loss = torch::zeros({});
        detach_all(state);
      }
    }
    std::cout << epoch << " " << shown << "\n";
  }
}

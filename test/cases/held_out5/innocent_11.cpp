#include <torch/torch.h>
#include <iostream>
#include <tuple>
#include <vector>

using torch::Tensor;

struct CharRnn : torch::nn::Module {
  CharRnn(int64_t vocab, int64_t width, int64_t depth) {
    embed = register_module("embed", torch::nn::Embedding(vocab, width));
    for (int64_t i = 0; i < depth; ++i)
      cells.push_back(register_module("cell" + std::to_string(i), torch::nn::LSTMCell(width, width)));
    out = register_module("out", torch::nn::Linear(width, vocab));
  }
  using State = std::vector<std::tuple<Tensor, Tensor>>;
  Tensor step(const Tensor& token, State& state) {
    auto x = embed(token);
    for (size_t i = 0; i < cells.size(); ++i) {
      state[i] = cells[i]->forward(x, state[i]);
      x = std::get<0>(state[i]);
    }
    return out(x);
  }
  torch::nn::Embedding embed{nullptr};
  std::vector<torch::nn::LSTMCell> cells;
  torch::nn::Linear out{nullptr};
};

void cut(CharRnn::State& state) {
  for (auto& s : state) s = std::make_tuple(std::get<0>(s).detach(), std::get<1>(s).detach());
}

int main() {
  const int64_t batch = 32, window = 50;
  CharRnn net(96, 256, 2);
  torch::optim::Adam opt(net.parameters(), 2e-3);
  auto text = torch::randint(96, {200000, batch}, torch::kLong);
  CharRnn::State state(2, std::make_tuple(torch::zeros({batch, 256}), torch::zeros({batch, 256})));
  for (int64_t start = 0; start + window < text.size(0); start += window) {
    std::vector<Tensor> losses;
    for (int64_t t = start; t < start + window; ++t)
      losses.push_back(torch::cross_entropy_loss(net.step(text[t], state), text[t + 1]));
    auto loss = torch::stack(losses).mean();
    opt.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(net.parameters(), 5.0);
    opt.step();
    cut(state);
    std::cout << loss.item<float>() << '\n';
  }
}

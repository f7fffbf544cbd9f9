#include <torch/torch.h>
#include <iostream>
#include <string>
#include <tuple>

using torch::Tensor;

struct CharLm : torch::nn::Module {
  torch::nn::Embedding emb{nullptr};
  torch::nn::LSTM lstm{nullptr};
  torch::nn::Linear out{nullptr};
  CharLm() {
    emb = register_module("emb", torch::nn::Embedding(128, 32));
    lstm = register_module("lstm", torch::nn::LSTM(32, 64));
    out = register_module("out", torch::nn::Linear(64, 128));
  }
};

std::string babble(CharLm& lm, char first, int length) {
  lm.eval();
  std::string text(1, first);
  auto h = torch::zeros({1, 1, 64}), c = torch::zeros({1, 1, 64});
  for (int i = 0; i < length; ++i) {
    auto x = lm.emb(torch::tensor({{static_cast<int64_t>(text.back())}}));
    auto [y, state] = lm.lstm(x, std::make_tuple(h, c));  // EXPECT: missing-no-grad
    std::tie(h, c) = state;
    auto p = torch::softmax(lm.out(y[0]), 1);
    text.push_back(static_cast<char>(p.multinomial(1).item<int64_t>()));
  }
  return text;
}

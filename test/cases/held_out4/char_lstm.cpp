#include <torch/torch.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>

struct CharLSTM : torch::nn::Module {
  CharLSTM(int64_t vocab, int64_t hidden) {
    embed = register_module("embed", torch::nn::Embedding(vocab, 32));
    lstm = register_module("lstm", torch::nn::LSTM(torch::nn::LSTMOptions(32, hidden).batch_first(true)));
    head = register_module("head", torch::nn::Linear(hidden, vocab));
  }
  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor x, torch::Tensor h, torch::Tensor c) {
    auto res = lstm->forward(embed->forward(x), std::make_tuple(h, c));
    auto state = std::get<1>(res);
    return {head->forward(std::get<0>(res)), std::get<0>(state), std::get<1>(state)};
  }
  torch::nn::Embedding embed{nullptr};
  torch::nn::LSTM lstm{nullptr};
  torch::nn::Linear head{nullptr};
};

int main(int argc, char** argv) {
  std::ifstream in(argc > 1 ? argv[1] : "input.txt");
  std::string text((std::istreambuf_iterator<char>(in)), {});
  std::map<char, int64_t> ids;
  std::vector<int64_t> codes;
  for (char ch : text) codes.push_back(ids.emplace(ch, int64_t(ids.size())).first->second);
  const int64_t vocab = ids.size(), hidden = 256, batch = 32, window = 64;
  auto all = torch::tensor(codes);
  auto steps = (all.size(0) - 1) / batch;
  auto xs = all.narrow(0, 0, steps * batch).view({batch, steps});
  auto ys = all.narrow(0, 1, steps * batch).view({batch, steps});

  auto model = std::make_shared<CharLSTM>(vocab, hidden);
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(2e-3));
  torch::nn::CrossEntropyLoss criterion;
  for (int epoch = 0; epoch < 20; ++epoch) {
    auto h = torch::zeros({1, batch, hidden});
    auto c = torch::zeros({1, batch, hidden});
    double sum = 0;
    int64_t n = 0;
    for (int64_t t = 0; t + window <= steps; t += window) {
      c = c.detach();
      auto x = xs.slice(1, t, t + window);
      auto y = ys.slice(1, t, t + window);
      auto [logits, h_next, c_next] = model->forward(x, h, c);
      h = h_next;
      c = c_next;
      auto loss = criterion(logits.reshape({-1, vocab}), y.reshape({-1}));
      optimizer.zero_grad();
      loss.backward();
      torch::nn::utils::clip_grad_norm_(model->parameters(), 5.0);
      optimizer.step();
      sum += loss.item<double>();
      ++n;
    }
    std::cout << "epoch " << epoch << " loss " << sum / n << std::endl;
    torch::save(model, "char_lstm.pt");
  }
  return 0;
}

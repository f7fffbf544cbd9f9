#include <torch/torch.h>
#include <tuple>
#include <vector>

using torch::Tensor;
using State = std::tuple<Tensor, Tensor>;

struct Net : torch::nn::Module {
  torch::nn::LSTM rnn{nullptr};
  torch::nn::Linear out{nullptr};
  Net() {
    rnn = register_module("rnn", torch::nn::LSTM(8, 16));
    out = register_module("out", torch::nn::Linear(16, 8));
  }
};

static State repackage(const State& s) { return {std::get<0>(s).detach(), std::get<1>(s).detach()}; }

void stateful_training(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& text) {
  State state{torch::zeros({1, 4, 16}), torch::zeros({1, 4, 16})};
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    state = repackage(state);
    auto [y, next] = net.rnn->forward(text[i], state);
    state = next;
    auto loss = torch::mse_loss(net.out(y), text[i + 1]);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

// The states are made anew for every document; the whole document is in the loss.
void per_document(Net& net, torch::optim::Optimizer& opt, const std::vector<std::vector<Tensor>>& documents) {
  for (const auto& document : documents) {
    Tensor h = torch::zeros({1, 4, 16}), c = torch::zeros({1, 4, 16});
    std::vector<Tensor> states{h};
    Tensor loss = torch::zeros({});
    for (const auto& x : document) {
      auto result = net.rnn->forward(x, std::make_tuple(states.back(), c));
      std::tie(h, c) = std::get<1>(result);
      states.push_back(h);
      loss += torch::mse_loss(net.out(std::get<0>(result)), x);
    }
    opt.zero_grad();
    (loss / static_cast<double>(document.size())).backward();
    opt.step();
  }
}

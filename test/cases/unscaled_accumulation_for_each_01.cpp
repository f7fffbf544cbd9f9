#include <torch/torch.h>
#include <algorithm>
#include <vector>

struct Sequence {
  torch::Tensor input, label;
};

struct Rnn : torch::nn::Module {
  torch::nn::LSTM lstm{nullptr};
  torch::nn::Linear out{nullptr};
  Rnn() {
    lstm = register_module("lstm", torch::nn::LSTM(10, 20));
    out = register_module("out", torch::nn::Linear(20, 3));
  }
  torch::Tensor forward(torch::Tensor x) { return out(std::get<0>(lstm(x))[-1]); }
};

// Sequences of different lengths cannot be stacked, so each has its own pass.
void train(Rnn& net, torch::optim::Optimizer& opt, const std::vector<std::vector<Sequence>>& groups) {
  for (const auto& group : groups) {
    net.zero_grad();
    std::for_each(group.begin(), group.end(), [&net](const Sequence& s) {
      auto logits = net.forward(s.input);
      torch::cross_entropy_loss(logits, s.label).backward();  // EXPECT: unscaled-accumulation
    });
    opt.step();
  }
}

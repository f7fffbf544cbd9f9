// Truncated BPTT with a helper that cuts the state at the head of each window.
#include <torch/torch.h>

#include <cstdio>
#include <tuple>
#include <vector>

using State = std::tuple<torch::Tensor, torch::Tensor>;

static State cut(const State& s) { return {std::get<0>(s).detach(), std::get<1>(s).detach()}; }

struct SpeechModelImpl : torch::nn::Module {
  SpeechModelImpl() : rnn(torch::nn::LSTMOptions(20, 64).num_layers(2)), out(64, 40) {
    register_module("rnn", rnn);
    register_module("out", out);
  }
  std::tuple<torch::Tensor, State> forward(torch::Tensor x, State s) {
    auto r = rnn->forward(x, s);
    return {out->forward(std::get<0>(r)), std::get<1>(r)};
  }
  torch::nn::LSTM rnn;
  torch::nn::Linear out;
};
TORCH_MODULE(SpeechModel);

struct Utterance {
  torch::Tensor frames, targets;
};

double train_utterance(SpeechModel& model, torch::optim::Optimizer& opt, const Utterance& u, int64_t window) {
  State state{torch::zeros({2, 1, 64}), torch::zeros({2, 1, 64})};
  double total = 0;
  int64_t windows = 0;
  for (int64_t at = 0; at < u.frames.size(0); at += window, ++windows) {
    state = cut(state);
    const auto end = std::min(at + window, u.frames.size(0));
    torch::Tensor logits;
    std::tie(logits, state) = model->forward(u.frames.slice(0, at, end), state);
    auto loss = torch::nn::functional::cross_entropy(logits.squeeze(1), u.targets.slice(0, at, end));
    opt.zero_grad();
    loss.backward();
    opt.step();
    total += loss.item<double>();
  }
  return windows ? total / windows : 0;
}

int main() {
  SpeechModel model;
  torch::optim::Adam opt(model->parameters(), 5e-4);
  for (int i = 0; i < 400; ++i) {
    Utterance u{torch::randn({700, 1, 20}), torch::randint(0, 40, {700}, torch::kLong)};
    std::printf("%.4f\n", train_utterance(model, opt, u, 50));
  }
}

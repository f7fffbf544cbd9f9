#include <torch/torch.h>
#include <iostream>
class LMImpl : public torch::nn::Module {
 public:
  LMImpl(int64_t vocab, int64_t hidden) : hidden_(hidden) {
    emb = register_module("emb", torch::nn::Embedding(vocab, hidden));
    lstm = register_module("lstm", torch::nn::LSTM(torch::nn::LSTMOptions(hidden, hidden)));
    out = register_module("out", torch::nn::Linear(hidden, vocab));
  }
  void init_state(int64_t batch) { state_ = std::make_tuple(torch::zeros({1, batch, hidden_}), torch::zeros({1, batch, hidden_})); }
  void detach_state() {
    std::get<0>(state_).detach_();
    std::get<1>(state_).detach_();
  }
  torch::Tensor forward(torch::Tensor x) {
    torch::Tensor y;
    std::tie(y, state_) = lstm->forward(emb(x), state_);
    return out(y);
  }
 private:
  int64_t hidden_;
  torch::nn::Embedding emb{nullptr};
  torch::nn::LSTM lstm{nullptr};
  torch::nn::Linear out{nullptr};
  std::tuple<torch::Tensor, torch::Tensor> state_;
};
TORCH_MODULE(LM);

class Trainer {
 public:
  explicit Trainer(LM m) : model_(m), opt_(m->parameters(), torch::optim::AdamOptions(1e-3)) {}
  void run(const torch::Tensor& tokens, int64_t bptt) {
    model_->init_state(tokens.size(1));
    for (int64_t i = 0; i + bptt + 1 < tokens.size(0); i += bptt) {
      model_->detach_state();
      step(tokens.slice(0, i, i + bptt), tokens.slice(0, i + 1, i + bptt + 1));
    }
  }
 private:
  void step(const torch::Tensor& x, const torch::Tensor& y) {
    auto logits = model_->forward(x);
    auto loss = torch::nn::functional::cross_entropy(logits.flatten(0, 1), y.flatten());
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    last_ = loss.item<double>();
  }
  LM model_;
  torch::optim::Adam opt_;
  double last_ = 0;
};
int main() {
  LM m(100, 64);
  Trainer t(m);
  auto tokens = torch::randint(100, {5000, 16}, torch::kLong);
  for (int e = 0; e < 10; ++e) t.run(tokens, 35);
}

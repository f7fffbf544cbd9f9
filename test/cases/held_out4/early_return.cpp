#include <torch/torch.h>
#include <iostream>
#include <memory>

struct TagRNNImpl : torch::nn::Module {
  TagRNNImpl(int64_t vocab, int64_t tags) {
    emb = register_module("emb", torch::nn::Embedding(vocab, 32));
    rnn = register_module("rnn", torch::nn::LSTM(torch::nn::LSTMOptions(32, 64).batch_first(true).bidirectional(true)));
    out = register_module("out", torch::nn::Linear(128, tags));
  }
  torch::Tensor forward(torch::Tensor x) { return out(std::get<0>(rnn->forward(emb(x)))); }
  torch::nn::Embedding emb{nullptr};
  torch::nn::LSTM rnn{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(TagRNN);

class Tagger {
 public:
  Tagger() : model_(2000, 17), opt_(model_->parameters(), torch::optim::AdamOptions(1e-3)) {}

  double train_epoch(int n) {
    model_->train();
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      auto x = torch::randint(2000, {32, 20}, torch::kLong), y = torch::randint(17, {32, 20}, torch::kLong);
      opt_.zero_grad();
      auto logits = model_->forward(x);
      auto loss = torch::nn::functional::cross_entropy(logits.view({-1, 17}), y.view({-1}));
      loss.backward();
      opt_.step();
      sum += loss.item<double>();
    }
    return sum / n;
  }

  double validate(int n, double give_up_below) {
    model_->eval();
    torch::GradMode::set_enabled(false);
    double acc = 0;
    for (int i = 0; i < n; ++i) {
      auto x = torch::randint(2000, {32, 20}, torch::kLong), y = torch::randint(17, {32, 20}, torch::kLong);
      acc += model_->forward(x).argmax(2).eq(y).to(torch::kFloat).mean().item<double>();
      if (i == 4 && acc / 5 < give_up_below) return acc / 5;  // hopeless so far, do not waste time
    }
    torch::GradMode::set_enabled(true);
    return acc / n;
  }

 private:
  TagRNN model_;
  torch::optim::Adam opt_;
};

int main() {
  torch::manual_seed(5);
  Tagger tagger;
  double best = 0;
  for (int epoch = 0; epoch < 40; ++epoch) {
    auto loss = tagger.train_epoch(200);
    auto acc = tagger.validate(50, best * 0.8);
    if (acc > best) best = acc;
    std::cout << epoch << " " << loss << " " << acc << " best " << best << std::endl;
  }
}

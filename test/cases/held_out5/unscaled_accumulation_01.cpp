#include <torch/torch.h>
#include <iostream>
#include <memory>

struct TaggerImpl : torch::nn::Module {
  TaggerImpl(int64_t vocab, int64_t tags) : emb(vocab, 64), lstm(torch::nn::LSTMOptions(64, 64).batch_first(true)), fc(64, tags) {
    register_module("emb", emb);
    register_module("lstm", lstm);
    register_module("fc", fc);
  }
  torch::Tensor forward(const torch::Tensor& ids) { return fc(std::get<0>(lstm->forward(emb(ids)))); }
  torch::nn::Embedding emb;
  torch::nn::LSTM lstm;
  torch::nn::Linear fc;
};
TORCH_MODULE(Tagger);

class Trainer {
 public:
  Trainer(Tagger model, int64_t accumulate)
      : model_(std::move(model)), opt_(model_->parameters(), torch::optim::AdamWOptions(3e-4)), accumulate_(accumulate) {}

  void run(const torch::Tensor& ids, const torch::Tensor& tags, int64_t micro_batch) {
    model_->train();
    opt_.zero_grad();
    for (int64_t i = 0; i + micro_batch <= ids.size(0); i += micro_batch) {
      auto loss = compute_loss(ids.narrow(0, i, micro_batch), tags.narrow(0, i, micro_batch));
      loss.backward();
      log_sum_ += loss.item<double>();
      if (window_full()) apply();
    }
  }
  double mean_loss() const { return log_sum_ / seen_; }

 private:
  torch::Tensor compute_loss(const torch::Tensor& ids, const torch::Tensor& tags) {
    return torch::cross_entropy_loss(model_(ids).flatten(0, 1), tags.flatten());
  }
  bool window_full() { return ++seen_ % accumulate_ == 0; }
  void apply() {
    torch::nn::utils::clip_grad_value_(model_->parameters(), 10.0);
    opt_.step();
    opt_.zero_grad();
  }

  Tagger model_;
  torch::optim::AdamW opt_;
  int64_t accumulate_, seen_ = 0;
  double log_sum_ = 0;
};

int main() {
  Trainer trainer(Tagger(5000, 17), 8);
  for (int epoch = 0; epoch < 3; ++epoch)
    trainer.run(torch::randint(5000, {4096, 24}, torch::kLong), torch::randint(17, {4096, 24}, torch::kLong), 4);
  std::cout << trainer.mean_loss() << '\n';
}

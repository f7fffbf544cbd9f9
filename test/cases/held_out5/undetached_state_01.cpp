#include <torch/torch.h>
#include <iostream>
#include <tuple>

class LanguageModelTrainer {
 public:
  LanguageModelTrainer(int64_t vocab, int64_t dim, int64_t batch)
      : embed_(vocab, dim), gru_(torch::nn::GRUOptions(dim, dim).batch_first(true)), head_(dim, vocab), batch_(batch),
        dim_(dim) {
    std::vector<torch::Tensor> params;
    for (auto* m : {static_cast<torch::nn::Module*>(embed_.get()), static_cast<torch::nn::Module*>(gru_.get()),
                    static_cast<torch::nn::Module*>(head_.get())})
      for (auto& p : m->parameters()) params.push_back(p);
    opt_ = std::make_unique<torch::optim::Adam>(params, 1e-3);
    reset();
  }

  void reset() { hidden_ = torch::zeros({1, batch_, dim_}); }

  double step(const torch::Tensor& tokens, const torch::Tensor& targets) {
    opt_->zero_grad();
    auto [out, h] = gru_->forward(embed_(tokens), hidden_);
    hidden_ = h;
    auto logits = head_(out).flatten(0, 1);
    auto loss = torch::cross_entropy_loss(logits, targets.flatten());
    loss.backward();
    opt_->step();
    return loss.item<double>();
  }

 private:
  torch::nn::Embedding embed_;
  torch::nn::GRU gru_;
  torch::nn::Linear head_;
  int64_t batch_, dim_;
  std::unique_ptr<torch::optim::Optimizer> opt_;
  torch::Tensor hidden_;
};

int main() {
  const int64_t batch = 16, window = 35;
  auto corpus = torch::randint(1000, {batch, 100000}, torch::kLong);
  LanguageModelTrainer trainer(1000, 200, batch);
  for (int epoch = 0; epoch < 10; ++epoch) {
    trainer.reset();
    double sum = 0;
    for (int64_t t = 0; t + window + 1 < corpus.size(1); t += window)
      sum += trainer.step(corpus.slice(1, t, t + window), corpus.slice(1, t + 1, t + window + 1));
    std::cout << "epoch " << epoch << " loss " << sum << '\n';
  }
}

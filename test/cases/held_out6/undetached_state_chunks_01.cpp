// Character model trained on consecutive chunks of one long text; the state belongs to the trainer.
#include <torch/torch.h>

#include <iostream>
#include <tuple>

struct CharModelImpl : torch::nn::Module {
  CharModelImpl(int64_t vocab, int64_t width)
      : embed(vocab, width), lstm(torch::nn::LSTMOptions(width, width).batch_first(true)), head(width, vocab) {
    register_module("embed", embed);
    register_module("lstm", lstm);
    register_module("head", head);
  }
  torch::nn::Embedding embed;
  torch::nn::LSTM lstm;
  torch::nn::Linear head;
};
TORCH_MODULE(CharModel);

class ChunkTrainer {
 public:
  ChunkTrainer(CharModel m, int64_t batch, int64_t width)
      : model_(m),
        opt_(model_->parameters(), 2e-3),
        h_(torch::zeros({1, batch, width})),
        c_(torch::zeros({1, batch, width})) {}

  double chunk(const torch::Tensor& in, const torch::Tensor& next) {
    opt_.zero_grad();
    auto result = model_->lstm->forward(model_->embed->forward(in), std::make_tuple(h_, c_));  // ALSO: undetached-state
    auto logits = model_->head->forward(std::get<0>(result));
    std::tie(h_, c_) = std::get<1>(result);  // EXPECT: undetached-state
    auto loss = torch::nn::functional::cross_entropy(logits.flatten(0, 1), next.flatten());
    loss.backward();
    torch::nn::utils::clip_grad_norm_(model_->parameters(), 1.0);
    opt_.step();
    return loss.item<double>();
  }

 private:
  CharModel model_;
  torch::optim::Adam opt_;
  torch::Tensor h_, c_;
};

int main() {
  const int64_t batch = 16, span = 32;
  auto text = torch::randint(0, 96, {batch, span * 200 + 1}, torch::kLong);
  CharModel model(96, 128);
  ChunkTrainer trainer(model, batch, 128);
  for (int64_t at = 0; at + span < text.size(1); at += span) {
    auto in = text.slice(1, at, at + span), next = text.slice(1, at + 1, at + span + 1);
    const double loss = trainer.chunk(in, next);
    if (at / span % 20 == 0) std::cout << loss << "\n";
  }
}

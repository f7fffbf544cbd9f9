#include <torch/torch.h>
#include <cstdio>
#include <vector>

namespace F = torch::nn::functional;

struct Example {
  torch::Tensor tokens, next;
};

struct Bigram : torch::nn::Module {
  torch::nn::Embedding table{nullptr};
  explicit Bigram(int64_t v) { table = register_module("table", torch::nn::Embedding(v, v)); }
  torch::Tensor forward(torch::Tensor ids) { return table->forward(ids); }
};

void train(Bigram& model, torch::optim::AdamW& opt, const std::vector<Example>& examples, int grad_accum) {
  double shown = 0;
  for (size_t i = 0; i != examples.size(); ++i) {
    auto logits = model.forward(examples[i].tokens);
    auto loss = F::cross_entropy(logits, examples[i].next);
    shown += loss.item<double>() / grad_accum;
    loss.backward();  // EXPECT: unscaled-accumulation
    const bool last = i + 1 == examples.size();
    if (last || i % grad_accum == static_cast<size_t>(grad_accum) - 1) {
      opt.step();
      opt.zero_grad();
      std::printf("loss %.3f\n", shown);
      shown = 0;
    }
  }
}

#include <torch/torch.h>
#include <vector>

namespace F = torch::nn::functional;

struct Sentence {
  torch::Tensor ids, tags;
};

struct Tagger : torch::nn::Module {
  torch::nn::Embedding e{nullptr};
  torch::nn::Linear o{nullptr};
  Tagger() {
    e = register_module("e", torch::nn::Embedding(1000, 32));
    o = register_module("o", torch::nn::Linear(32, 9));
  }
  torch::Tensor forward(torch::Tensor ids) { return o(e(ids)); }
};

void train(Tagger& net, torch::optim::Optimizer& opt, const std::vector<std::vector<Sentence>>& batches) {
  const auto sum = F::CrossEntropyFuncOptions().reduction(torch::kSum);
  for (const auto& batch : batches) {
    int64_t tokens = 0;
    for (const auto& s : batch) tokens += s.ids.size(0);
    opt.zero_grad();
    for (const auto& s : batch) {
      auto loss = F::cross_entropy(net.forward(s.ids), s.tags, sum) / tokens;
      loss.backward();
    }
    opt.step();
  }
}

// The mean of every part, weighted by its share of the tokens.
void train_weighted(Tagger& net, torch::optim::Optimizer& opt, const std::vector<Sentence>& batch, double tokens) {
  opt.zero_grad();
  for (const auto& s : batch) {
    auto loss = torch::cross_entropy_loss(net.forward(s.ids), s.tags);
    const double share = s.ids.size(0) / tokens;
    (share * loss).backward();
  }
  opt.step();
}

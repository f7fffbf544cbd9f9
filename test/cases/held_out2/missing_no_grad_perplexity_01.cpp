#include <torch/torch.h>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

struct LanguageModel : torch::nn::Module {
  LanguageModel(int64_t words, int64_t width) {
    table = register_module("table", torch::nn::Embedding(words, width));
    gru = register_module("gru", torch::nn::GRU(torch::nn::GRUOptions(width, width).num_layers(2)));
    project = register_module("project", torch::nn::Linear(width, words));
  }
  torch::Tensor forward(torch::Tensor ids) { return project(std::get<0>(gru->forward(table(ids)))); }
  torch::nn::Embedding table{nullptr};
  torch::nn::GRU gru{nullptr};
  torch::nn::Linear project{nullptr};
};

double perplexity(const std::shared_ptr<LanguageModel>& lm, const std::vector<torch::Tensor>& sentences) {
  if (sentences.empty()) return std::numeric_limits<double>::infinity();
  if (sentences.size() == 1 && sentences[0].numel() < 2) return 1.0;
  double nats = 0;
  int64_t tokens = 0;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const auto& ids = sentences[i];
    if (ids.numel() < 2) continue;
    auto scores = lm->forward(ids.slice(0, 0, -1).unsqueeze(1)).squeeze(1);  // EXPECT: missing-no-grad
    auto log_p = torch::log_softmax(scores, -1).gather(1, ids.slice(0, 1).unsqueeze(1));
    nats -= log_p.sum().item<double>();
    tokens += ids.numel() - 1;
  }
  return std::exp(nats / static_cast<double>(tokens));
}

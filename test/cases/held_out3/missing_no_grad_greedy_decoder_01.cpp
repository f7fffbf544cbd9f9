#include <torch/torch.h>
#include <memory>
#include <vector>

struct Translator : torch::nn::Module {
  Translator(int64_t vocabulary, int64_t d) {
    source = register_module("source", torch::nn::Embedding(vocabulary, d));
    target = register_module("target", torch::nn::Embedding(vocabulary, d));
    core = register_module("core", torch::nn::Transformer(torch::nn::TransformerOptions(d, 8)));
    words = register_module("words", torch::nn::Linear(d, vocabulary));
  }
  torch::Tensor forward(torch::Tensor from, torch::Tensor to) { return words(core->forward(source(from), target(to))); }
  torch::nn::Embedding source{nullptr}, target{nullptr};
  torch::nn::Transformer core{nullptr};
  torch::nn::Linear words{nullptr};
};

std::vector<int64_t> translate(const std::shared_ptr<Translator>& model, const torch::Tensor& sentence, int64_t bos, int64_t eos) {
  model->eval();
  std::vector<int64_t> ids{bos};
  do {
    auto so_far = torch::tensor(ids).unsqueeze(1);
    auto scores = model->forward(sentence, so_far);  // EXPECT: missing-no-grad
    ids.push_back(scores[-1][0].argmax().item<int64_t>());
  } while (ids.back() != eos && ids.size() < 100);
  return ids;
}

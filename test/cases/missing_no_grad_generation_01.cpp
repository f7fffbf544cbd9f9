#include <torch/torch.h>
#include <iostream>

struct TinyGptImpl : torch::nn::Module {
  TinyGptImpl(int64_t vocabulary, int64_t width, int64_t context) : context_(context) {
    tokens = register_module("tokens", torch::nn::Embedding(vocabulary, width));
    positions = register_module("positions", torch::nn::Embedding(context, width));
    block = register_module("block", torch::nn::TransformerEncoderLayer(width, 4));
    head = register_module("head", torch::nn::Linear(width, vocabulary));
  }
  torch::Tensor forward(torch::Tensor ids) {
    auto h = tokens(ids) + positions(torch::arange(ids.size(1)));
    return head(block(h.transpose(0, 1)).transpose(0, 1));
  }
  int64_t context_;
  torch::nn::Embedding tokens{nullptr}, positions{nullptr};
  torch::nn::TransformerEncoderLayer block{nullptr};
  torch::nn::Linear head{nullptr};
};
TORCH_MODULE(TinyGpt);

void generate(TinyGpt& gpt, torch::Tensor prompt, int length, double temperature) {
  gpt->eval();
  auto ids = prompt;
  for (int i = 0; i < length; ++i) {
    auto context = ids.slice(1, std::max<int64_t>(0, ids.size(1) - 128));
    auto logits = gpt->forward(context).select(1, -1) / temperature;  // EXPECT: missing-no-grad
    auto next = torch::multinomial(torch::softmax(logits, -1), 1);
    ids = torch::cat({ids, next}, 1);
    std::cout << static_cast<char>(next.item<int64_t>()) << std::flush;
  }
}

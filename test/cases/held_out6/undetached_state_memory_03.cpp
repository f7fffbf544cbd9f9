// A reader with an external memory matrix that is rewritten by every paragraph and carried to the next one.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct Paragraph {
  torch::Tensor tokens, answer;
};

struct ReaderOutput {
  torch::Tensor logits;
  torch::Tensor memory;
};

struct MemoryReaderImpl : torch::nn::Module {
  MemoryReaderImpl(int64_t vocab, int64_t slots, int64_t width) : slots(slots), width(width) {
    embed = register_module("embed", torch::nn::Embedding(vocab, width));
    write = register_module("write", torch::nn::Linear(2 * width, width));
    read = register_module("read", torch::nn::Linear(width, 10));
  }
  ReaderOutput forward(torch::Tensor tokens, torch::Tensor memory) {
    auto summary = embed(tokens).mean(0, true).expand({slots, width});
    auto updated = torch::tanh(write(torch::cat({memory, summary}, 1)));
    return {read(updated.mean(0, true)), updated};
  }
  int64_t slots, width;
  torch::nn::Embedding embed{nullptr};
  torch::nn::Linear write{nullptr}, read{nullptr};
};
TORCH_MODULE(MemoryReader);

void train_document(MemoryReader& reader, torch::optim::Optimizer& opt, const std::vector<Paragraph>& document) {
  auto memory = torch::zeros({reader->slots, reader->width});
  for (const auto& p : document) {
    auto out = reader->forward(p.tokens, memory);  // ALSO: undetached-state
    auto loss = torch::cross_entropy_loss(out.logits, p.answer);
    opt.zero_grad();
    loss.backward();
    opt.step();
    memory = out.memory;  // EXPECT: undetached-state
    std::cout << loss.item<float>() << "\n";
  }
}

int main() {
  MemoryReader reader(2000, 16, 32);
  torch::optim::Adam opt(reader->parameters(), 1e-3);
  for (int d = 0; d < 100; ++d) {
    std::vector<Paragraph> document;
    for (int i = 0; i < 30; ++i)
      document.push_back({torch::randint(0, 2000, {60}, torch::kLong), torch::randint(0, 10, {1}, torch::kLong)});
    train_document(reader, opt, document);
  }
}

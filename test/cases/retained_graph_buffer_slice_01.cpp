#include <torch/torch.h>
#include <fstream>

struct Encoder : torch::nn::Module {
  torch::nn::Sequential body{nullptr};
  Encoder() {
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(128, 64), torch::nn::ReLU(),
                                                         torch::nn::Linear(64, 16)));
  }
  torch::Tensor forward(const torch::Tensor& x) { return body->forward(x); }
};

// One row of codes per document, written next to the index.
void encode_corpus(Encoder& encoder, const torch::Tensor& documents, const std::string& path) {
  encoder.eval();
  const int64_t n = documents.size(0);
  torch::Tensor codes = torch::empty({n, 16});
  for (int64_t i = 0; i < n; i += 32) {
    const int64_t end = std::min<int64_t>(i + 32, n);
    auto code = encoder.forward(documents.slice(0, i, end));
    codes.slice(0, i, end).copy_(code);  // EXPECT: retained-graph
  }
  std::ofstream out(path, std::ios::binary);
  out.write(static_cast<const char*>(codes.data_ptr()), codes.nbytes());
}

#include <torch/script.h>
#include <iostream>
#include <string>

// Labels lines of standard input; the model is loaded when the first comes.
static torch::jit::Module& classifier() {
  static torch::jit::Module module = [] {
    auto m = torch::jit::load("classifier.pt", torch::kCPU);
    m.eval();
    return m;
  }();
  return module;
}

torch::Tensor encode(const std::string& line);

const char* label(const std::string& line) {
  auto logits = classifier().forward({encode(line)}).toTensor();  // EXPECT: missing-no-grad
  switch (logits.argmax(-1).item<int64_t>()) {
    case 0: return "negative";
    case 1: return "neutral";
    default: return "positive";
  }
}

int main() {
  for (std::string line; std::getline(std::cin, line);) std::cout << label(line) << '\t' << line << '\n';
}

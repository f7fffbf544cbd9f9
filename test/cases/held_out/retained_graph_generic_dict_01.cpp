#include <torch/script.h>
#include <iostream>
#include <string>
#include <vector>

// Scores of named documents, collected in a dictionary that a script reads later.
int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: rank MODEL NAME...\n";
    return 1;
  }
  auto ranker = torch::jit::load(argv[1]);
  ranker.eval();
  c10::Dict<std::string, at::Tensor> scores;
  for (int i = 2; i < argc; ++i) {
    const std::string name = argv[i];
    const auto ids = torch::randint(0, 1000, {1, 64}, torch::kLong);
    auto score = ranker.forward({ids}).toTensor();
    scores.insert(name, score.squeeze());  // EXPECT: retained-graph
  }
  for (const auto& entry : scores) std::cout << entry.key() << ' ' << entry.value().item<float>() << '\n';
}

#include <torch/torch.h>
#include <memory>
#include <vector>

struct Scorer : torch::nn::Module {
  torch::nn::Bilinear pair{nullptr};
  Scorer() { pair = register_module("pair", torch::nn::Bilinear(16, 16, 1)); }
  torch::Tensor forward(torch::Tensor a, torch::Tensor b) { return pair(a, b); }
};

std::vector<float> score(Scorer& scorer, const std::vector<std::pair<torch::Tensor, torch::Tensor>>& pairs) {
  auto guard = std::make_unique<torch::NoGradGuard>();
  scorer.eval();
  for (auto& p : scorer.parameters()) p.nan_to_num_();
  guard.reset();  // the weights are clean now

  std::vector<float> scores;
  for (const auto& [a, b] : pairs) {
    auto s = scorer.forward(a, b);  // EXPECT: missing-no-grad
    scores.push_back(s.item<float>());
  }
  return scores;
}

// Scores tiles of a large picture with a scripted model, a few tiles at a time.
#include <torch/script.h>
#include <torch/torch.h>

#include <future>
#include <iostream>
#include <string>
#include <vector>

struct TileScore {
  int row = 0, col = 0;
  float score = 0.f;
};

class TileScorer {
 public:
  explicit TileScorer(const std::string& path) : model_(torch::jit::load(path)) { model_.eval(); }

  std::vector<TileScore> run(const torch::Tensor& picture, int side) {
    torch::NoGradGuard no_grad;
    std::vector<std::future<TileScore>> pending;
    const int rows = static_cast<int>(picture.size(1)) / side, cols = static_cast<int>(picture.size(2)) / side;
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        auto tile = picture.slice(1, r * side, (r + 1) * side).slice(2, c * side, (c + 1) * side);
        pending.push_back(std::async(std::launch::async, [this, tile, r, c] {
          auto out = model_.forward({tile.unsqueeze(0)}).toTensor();  // EXPECT: missing-no-grad
          TileScore s;
          s.row = r;
          s.col = c;
          s.score = torch::sigmoid(out).max().item<float>();
          return s;
        }));
      }
    }
    std::vector<TileScore> scores;
    scores.reserve(pending.size());
    for (auto& p : pending) scores.push_back(p.get());
    return scores;
  }

 private:
  torch::jit::Module model_;
};

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  TileScorer scorer(argv[1]);
  for (const auto& s : scorer.run(torch::rand({3, 2048, 2048}), 256))
    if (s.score > 0.5f) std::cout << s.row << " " << s.col << " " << s.score << "\n";
}

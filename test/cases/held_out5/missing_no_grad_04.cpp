#include <torch/torch.h>
#include <ATen/Parallel.h>
#include <iostream>
#include <vector>

struct TileScorerImpl : torch::nn::Module {
  TileScorerImpl() {
    net = register_module("net", torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 24, 3)),
                                                       torch::nn::ReLU(), torch::nn::AdaptiveAvgPool2d(1),
                                                       torch::nn::Flatten(), torch::nn::Linear(24, 1)));
  }
  torch::Tensor forward(const torch::Tensor& tile) { return torch::sigmoid(net->forward(tile)); }
  torch::nn::Sequential net{nullptr};
};
TORCH_MODULE(TileScorer);

std::vector<float> score_slide(TileScorer& scorer, const std::vector<torch::Tensor>& tiles) {
  torch::NoGradGuard no_grad;
  scorer->eval();
  std::vector<float> scores(tiles.size());
  at::parallel_for(0, static_cast<int64_t>(tiles.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      scores[i] = scorer->forward(tiles[i].unsqueeze(0)).item<float>();
    }
  });
  return scores;
}

int main() {
  TileScorer scorer;
  torch::load(scorer, "tiles.pt");
  std::vector<torch::Tensor> tiles;
  for (int i = 0; i < 256; ++i) tiles.push_back(torch::rand({3, 224, 224}));
  auto scores = score_slide(scorer, tiles);
  std::cout << "suspicious tiles: " << std::count_if(scores.begin(), scores.end(), [](float s) { return s > 0.5f; })
            << '\n';
}

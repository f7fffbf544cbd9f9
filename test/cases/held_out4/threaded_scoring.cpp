#include <torch/torch.h>
#include <iostream>
#include <thread>
#include <vector>

struct ScorerImpl : torch::nn::Module {
  explicit ScorerImpl(int64_t d) {
    l1 = register_module("l1", torch::nn::Linear(d, 128));
    ln = register_module("ln", torch::nn::LayerNorm(torch::nn::LayerNormOptions({128})));
    l2 = register_module("l2", torch::nn::Linear(128, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::sigmoid(l2(torch::relu(ln(l1(x))))); }
  torch::nn::Linear l1{nullptr};
  torch::nn::LayerNorm ln{nullptr};
  torch::nn::Linear l2{nullptr};
};
TORCH_MODULE(Scorer);

struct Shard {
  torch::Tensor features;
  std::vector<float> scores;
};

static void train(Scorer& model, int steps) {
  torch::optim::Adam opt(model->parameters(), torch::optim::AdamOptions(1e-3));
  for (int s = 0; s < steps; ++s) {
    auto x = torch::randn({256, 32});
    auto y = (x.sum(1, true) > 0).to(torch::kFloat);
    opt.zero_grad();
    torch::binary_cross_entropy(model->forward(x), y).backward();
    opt.step();
  }
}

static void score_all(Scorer& model, std::vector<Shard>& shards) {
  torch::NoGradGuard no_grad;
  model->eval();
  std::vector<std::thread> pool;
  for (auto& shard : shards) {
    pool.emplace_back([&model, &shard] {
      for (int64_t i = 0; i < shard.features.size(0); i += 512) {
        auto out = model->forward(shard.features.slice(0, i, i + 512)).squeeze(1);
        for (int64_t k = 0; k < out.size(0); ++k) shard.scores.push_back(out[k].item<float>());
      }
    });
  }
  for (auto& t : pool) t.join();
}

int main() {
  Scorer model(32);
  train(model, 2000);
  std::vector<Shard> shards(4);
  for (auto& s : shards) s.features = torch::randn({10000, 32});
  score_all(model, shards);
  double mean = 0;
  int64_t n = 0;
  for (auto& s : shards)
    for (float v : s.scores) {
      mean += v;
      ++n;
    }
  std::cout << "mean score " << mean / n << std::endl;
}

#include <torch/torch.h>
#include <atomic>
#include <thread>
#include <vector>

// Scores a library of molecules on all cores.
struct Scorer : torch::nn::Module {
  Scorer() : mlp(torch::nn::Linear(2048, 256), torch::nn::ReLU(), torch::nn::Linear(256, 1)) { register_module("mlp", mlp); }
  torch::Tensor forward(const torch::Tensor& fingerprint) { return mlp->forward(fingerprint); }
  torch::nn::Sequential mlp;
};

std::vector<double> screen(Scorer& scorer, const std::vector<torch::Tensor>& fingerprints, unsigned threads) {
  c10::InferenceMode inference;
  scorer.eval();
  std::vector<double> scores(fingerprints.size());
  std::atomic<size_t> next{0};
  auto work = [&] {
    for (size_t i = next++; i < fingerprints.size(); i = next++)
      scores[i] = scorer.forward(fingerprints[i]).item<double>();  // EXPECT: missing-no-grad
  };
  std::vector<std::thread> crew;
  crew.reserve(threads);
  for (unsigned t = 0; t < threads; ++t) crew.push_back(std::thread(work));
  for (auto& thread : crew) thread.join();
  return scores;
}

#include <torch/script.h>
#include <ATen/ThreadLocalState.h>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

// Splits a batch over plain threads; each takes over the thread-local state of the caller.
class ShardedModel {
 public:
  ShardedModel(const std::string& file, size_t shards) : model_(torch::jit::load(file)), shards_(shards) { model_.eval(); }

  std::vector<int64_t> classify(const torch::Tensor& batch) {
    c10::InferenceMode inference;
    at::ThreadLocalState caller;
    auto parts = batch.chunk(shards_);
    std::vector<std::vector<int64_t>> results(parts.size());
    std::vector<std::thread> threads;
    for (size_t k = 0; k < parts.size(); ++k) {
      threads.emplace_back([this, &caller, &parts, &results, k] {
        at::ThreadLocalStateGuard adopt(caller);
        auto ids = model_.forward({parts[k]}).toTensor().argmax(1);
        for (int64_t i = 0; i < ids.size(0); ++i) results[k].push_back(ids[i].item<int64_t>());
      });
    }
    for (auto& t : threads) t.join();
    std::vector<int64_t> all;
    for (auto& r : results) all.insert(all.end(), r.begin(), r.end());
    return all;
  }

 private:
  torch::jit::Module model_;
  size_t shards_;
};

int main(int argc, char** argv) {
  if (argc < 2) return 1;
  ShardedModel model(argv[1], 4);
  for (auto id : model.classify(torch::rand({64, 3, 32, 32}))) std::cout << id << ' ';
  std::cout << '\n';
}

#include <torch/script.h>
#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

struct Shared {
  std::mutex mutex;
  std::vector<at::Tensor> scores;
};

void score_files(const torch::jit::Module& model, const std::vector<at::Tensor>& files, float* best) {
  c10::InferenceMode main_thread_only;
  Shared shared;
  std::vector<std::thread> workers;
  for (size_t w = 0; w < 4; ++w) {
    workers.emplace_back([&, w]() mutable {
      torch::jit::Module local = model.clone();
      for (size_t i = w; i < files.size(); i += 4) {
        auto s = local.forward({files[i]}).toTensor();
        std::lock_guard<std::mutex> lock(shared.mutex);
        shared.scores.push_back(s.flatten());  // EXPECT: retained-graph
      }
    });
  }
  for (auto& t : workers) t.join();
  *best = at::cat(shared.scores).max().item<float>();
}

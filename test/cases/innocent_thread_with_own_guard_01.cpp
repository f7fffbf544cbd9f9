#include <torch/script.h>
#include <atomic>
#include <future>
#include <iostream>
#include <thread>
#include <vector>

class Pool {
 public:
  Pool(const torch::jit::Module& m, int n) : model_(m) {
    model_.eval();
    for (int i = 0; i < n; ++i) threads_.emplace_back(&Pool::loop, this, i);
  }
  ~Pool() {
    for (auto& t : threads_) t.join();
  }

 private:
  void loop(int id) {
    torch::NoGradGuard per_thread;
    for (int i = id; i < 1000; i += 4) {
      auto y = model_.forward({torch::rand({1, 8})}).toTensor();
      done_ += y.argmax(1).item<int64_t>() >= 0;
    }
  }

  torch::jit::Module model_;
  std::vector<std::thread> threads_;
  std::atomic<int> done_{0};
};

int main() {
  auto module = torch::jit::load("m.pt");
  { Pool pool(module, 4); }
  auto answer = std::async(std::launch::async, [&module] {
    c10::InferenceMode guard(true);
    return module.forward({torch::rand({1, 8})}).toTensor().sum().item<float>();
  });
  std::cout << answer.get() << '\n';
}

#include <torch/script.h>
#include <atomic>
#include <iostream>
#include <mutex>
#include <queue>
#include <string>
#include <thread>

class InferenceServer {
 public:
  explicit InferenceServer(const std::string& model) : model_(torch::jit::load(model)) {
    model_.eval();
    worker_ = std::thread(&InferenceServer::serve, this);
  }
  ~InferenceServer() {
    stop_ = true;
    worker_.join();
  }
  void post(torch::Tensor request) {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push(std::move(request));
  }

 private:
  bool next(torch::Tensor& request) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (queue_.empty()) return false;
    request = std::move(queue_.front());
    queue_.pop();
    return true;
  }

  void serve() {
    c10::InferenceMode(true);
    while (!stop_) {
      torch::Tensor request;
      if (!next(request)) {
        std::this_thread::yield();
        continue;
      }
      auto answer = model_.forward({request}).toTensor();
      std::cout << answer.argmax(-1).item<int64_t>() << std::endl;
    }
  }

  torch::jit::Module model_;
  std::mutex mutex_;
  std::queue<torch::Tensor> queue_;
  std::atomic<bool> stop_{false};
  std::thread worker_;
};

int main(int, char** argv) {
  InferenceServer server(argv[1]);
  for (int i = 0; i < 100; ++i) server.post(torch::rand({1, 16}));
  std::cin.get();
}

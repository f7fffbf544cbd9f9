#include <torch/script.h>
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <queue>
#include <thread>

class Worker {
 public:
  explicit Worker(torch::jit::Module m) : model_(std::move(m)) {
    torch::NoGradGuard guard;
    thread_ = std::thread(&Worker::run, this);
  }
  ~Worker() {
    stop_ = true;
    ready_.notify_all();
    thread_.join();
  }
  void submit(torch::Tensor t) {
    std::lock_guard<std::mutex> lock(mutex_);
    queue_.push(std::move(t));
    ready_.notify_one();
  }

 private:
  void run() {
    while (!stop_) {
      std::unique_lock<std::mutex> lock(mutex_);
      ready_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (queue_.empty()) continue;
      torch::Tensor x = queue_.front();
      queue_.pop();
      lock.unlock();
      auto y = model_.forward({x}).toTensor();  // EXPECT: missing-no-grad
      std::cout << y.argmax(-1).item<int64_t>() << std::endl;
    }
  }

  torch::jit::Module model_;
  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::queue<torch::Tensor> queue_;
  std::atomic<bool> stop_{false};
};

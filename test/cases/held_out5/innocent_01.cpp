#include <torch/torch.h>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

// Threads that only ever run inference.
class InferencePool {
 public:
  explicit InferencePool(size_t n) {
    for (size_t i = 0; i < n; ++i) threads_.emplace_back(&InferencePool::work, this);
  }
  ~InferencePool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    cv_.notify_all();
    for (auto& t : threads_) t.join();
  }
  template <typename F>
  std::future<float> async(F f) {
    auto task = std::make_shared<std::packaged_task<float()>>(std::move(f));
    auto result = task->get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.emplace_back([task] { (*task)(); });
    }
    cv_.notify_one();
    return result;
  }

 private:
  void work() {
    torch::NoGradGuard no_grad;
    while (true) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        cv_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }
  std::mutex mutex_;
  std::condition_variable cv_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool stop_ = false;
};

int main() {
  torch::nn::Sequential net(torch::nn::Linear(16, 64), torch::nn::ReLU(), torch::nn::Linear(64, 1));
  torch::load(net, "net.pt");
  net->eval();
  InferencePool pool(3);
  std::vector<std::future<float>> answers;
  for (int i = 0; i < 200; ++i)
    answers.push_back(pool.async([net, i]() mutable { return net->forward(torch::full({1, 16}, i * 0.1)).item<float>(); }));
  for (auto& a : answers) std::cout << a.get() << '\n';
}

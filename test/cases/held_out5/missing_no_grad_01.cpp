#include <torch/torch.h>
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class ThreadPool {
 public:
  explicit ThreadPool(unsigned n) {
    for (unsigned i = 0; i < n; ++i) workers_.emplace_back([this] { loop(); });
  }
  ~ThreadPool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    ready_.notify_all();
    for (auto& w : workers_) w.join();
  }
  void submit(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push(std::move(job));
    }
    ready_.notify_one();
  }

 private:
  void loop() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        ready_.wait(lock, [this] { return done_ || !jobs_.empty(); });
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop();
      }
      job();
    }
  }
  std::vector<std::thread> workers_;
  std::queue<std::function<void()>> jobs_;
  std::mutex mutex_;
  std::condition_variable ready_;
  bool done_ = false;
};

int main() {
  torch::nn::Sequential net(torch::nn::Linear(128, 512), torch::nn::ReLU(), torch::nn::Linear(512, 1));
  torch::load(net, "ranker.pt");
  net->eval();
  torch::NoGradGuard no_grad;
  std::vector<float> scores(1000);
  {
    ThreadPool pool(4);
    for (size_t i = 0; i < scores.size(); ++i) {
      pool.submit([&scores, net, i]() mutable {
        auto features = torch::full({1, 128}, static_cast<double>(i));
        scores[i] = net->forward(features).item<float>();
      });
    }
  }
  std::cout << *std::max_element(scores.begin(), scores.end()) << '\n';
}

#include <torch/torch.h>
#include <condition_variable>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>

// The usual pool of one thread: packaged tasks in a queue.
class Executor {
 public:
  Executor() : worker([this] { drain(); }) {}
  ~Executor() {
    {
      std::lock_guard<std::mutex> hold(m);
      stop = true;
    }
    cv.notify_all();
    worker.join();
  }
  template <class F>
  auto submit(F&& f) -> std::future<decltype(f())> {
    auto task = std::make_shared<std::packaged_task<decltype(f())()>>(std::forward<F>(f));
    auto result = task->get_future();
    {
      std::lock_guard<std::mutex> hold(m);
      jobs.emplace([task] { (*task)(); });
    }
    cv.notify_one();
    return result;
  }

 private:
  void drain() {
    while (true) {
      std::function<void()> job;
      {
        std::unique_lock<std::mutex> hold(m);
        cv.wait(hold, [this] { return stop || !jobs.empty(); });
        if (jobs.empty()) return;
        job = std::move(jobs.front());
        jobs.pop();
      }
      job();
    }
  }
  std::queue<std::function<void()>> jobs;
  std::mutex m;
  std::condition_variable cv;
  bool stop = false;
  std::thread worker;
};

double spam_probability(torch::nn::Sequential& classifier, const torch::Tensor& words) {
  static Executor executor;
  torch::NoGradGuard no_grad;
  auto answer = executor.submit([&classifier, words] {
    return torch::sigmoid(classifier->forward(words)).item<double>();  // EXPECT: missing-no-grad
  });
  return answer.get();
}

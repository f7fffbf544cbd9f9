#include <torch/torch.h>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

// Each worker holds a guard for as long as it lives; training goes on elsewhere.
class InferencePool {
 public:
  InferencePool(torch::nn::Sequential net, int workers) : net_(net) {
    for (int i = 0; i < workers; ++i) threads_.emplace_back(&InferencePool::work, this);
  }
  ~InferencePool() {
    { std::lock_guard<std::mutex> lock(mutex_); closed_ = true; }
    wake_.notify_all();
    for (auto& t : threads_) t.join();
  }
  std::future<torch::Tensor> ask(torch::Tensor x) {
    std::promise<torch::Tensor> promise;
    auto answer = promise.get_future();
    { std::lock_guard<std::mutex> lock(mutex_); queue_.emplace_back(std::move(x), std::move(promise)); }
    wake_.notify_one();
    return answer;
  }

 private:
  void work() {
    torch::NoGradGuard no_grad;
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return closed_ || !queue_.empty(); });
      if (queue_.empty()) return;
      auto job = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      job.second.set_value(net_->forward(job.first));
    }
  }
  torch::nn::Sequential net_;
  std::deque<std::pair<torch::Tensor, std::promise<torch::Tensor>>> queue_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::thread> threads_;
  bool closed_ = false;
};

void distil(InferencePool& teacher, torch::nn::Linear student, torch::optim::Optimizer& opt, const std::vector<torch::Tensor>& xs) {
  for (const auto& x : xs) {
    auto target = teacher.ask(x);
    auto loss = torch::mse_loss(student(x), target.get());
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

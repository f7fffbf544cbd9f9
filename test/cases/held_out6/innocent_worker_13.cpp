// A serving thread with a queue; the guard stands in the thread's own function, statistics are numbers.
#include <torch/script.h>
#include <torch/torch.h>

#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

struct Job {
  torch::Tensor input;
  std::promise<int64_t> answer;
};

class Server {
 public:
  explicit Server(const std::string& path) : model_(torch::jit::load(path)), thread_(&Server::loop, this) {}

  ~Server() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }

  std::future<int64_t> submit(torch::Tensor input) {
    Job job{std::move(input), {}};
    auto f = job.answer.get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      jobs_.push(std::move(job));
    }
    wake_.notify_one();
    return f;
  }

 private:
  void loop() {
    c10::InferenceMode guard;
    model_.eval();
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      if (stop_ && jobs_.empty()) return;
      Job job = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      auto scores = infer(job.input);
      confidence_.push_back(scores.max().item<float>());
      job.answer.set_value(scores.argmax().item<int64_t>());
    }
  }

  torch::Tensor infer(const torch::Tensor& x) {
    std::vector<torch::jit::IValue> args{x.unsqueeze(0)};
    return torch::softmax(model_.forward(args).toTensor(), 1);
  }

  torch::jit::Module model_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<Job> jobs_;
  std::vector<float> confidence_;
  bool stop_ = false;
  std::thread thread_;
};

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  Server server(argv[1]);
  std::vector<std::future<int64_t>> answers;
  for (int i = 0; i < 100; ++i) answers.push_back(server.submit(torch::rand({3, 64, 64})));
  for (auto& a : answers) std::cout << a.get() << "\n";
}

#include <torch/script.h>
#include <torch/torch.h>
#include <condition_variable>
#include <future>
#include <iostream>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

struct Request {
  torch::Tensor input;
  std::promise<torch::Tensor> reply;
};

class InferenceServer {
 public:
  InferenceServer(const std::string& path, size_t workers) : module_(torch::jit::load(path)) {
    module_.eval();
    warm_up();
    for (size_t i = 0; i < workers; ++i) threads_.emplace_back(&InferenceServer::loop, this);
  }
  ~InferenceServer() {
    {
      std::lock_guard<std::mutex> l(m_);
      stop_ = true;
    }
    cv_.notify_all();
    for (auto& t : threads_) t.join();
  }
  std::future<torch::Tensor> submit(torch::Tensor x) {
    Request r{std::move(x), {}};
    auto f = r.reply.get_future();
    {
      std::lock_guard<std::mutex> l(m_);
      queue_.push(std::move(r));
    }
    cv_.notify_one();
    return f;
  }

 private:
  void warm_up() {
    c10::InferenceMode guard;
    for (int i = 0; i < 3; ++i) module_.forward({torch::zeros({1, 3, 224, 224})});
  }
  void loop() {
    c10::InferenceMode guard;
    while (true) {
      std::optional<Request> job;
      {
        std::unique_lock<std::mutex> l(m_);
        cv_.wait(l, [this] { return stop_ || !queue_.empty(); });
        if (stop_ && queue_.empty()) return;
        job.emplace(std::move(queue_.front()));
        queue_.pop();
      }
      try {
        auto out = module_.forward({job->input}).toTensor();
        job->reply.set_value(torch::softmax(out, 1));
      } catch (const c10::Error&) {
        job->reply.set_exception(std::current_exception());
      }
    }
  }
  torch::jit::Module module_;
  std::queue<Request> queue_;
  std::mutex m_;
  std::condition_variable cv_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: server model.pt\n";
    return 1;
  }
  InferenceServer server(argv[1], 2);
  std::vector<std::future<torch::Tensor>> answers;
  for (int i = 0; i < 32; ++i) answers.push_back(server.submit(torch::rand({1, 3, 224, 224})));
  for (auto& a : answers) std::cout << a.get().argmax(1).item<int64_t>() << "\n";
}

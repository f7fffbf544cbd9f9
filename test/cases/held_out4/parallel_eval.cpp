#include <torch/torch.h>
#include <atomic>
#include <future>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

struct RegressorImpl : torch::nn::Module {
  RegressorImpl() : a(16, 64), b(64, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::gelu(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Regressor);

class Evaluator {
 public:
  Evaluator(Regressor model, size_t workers) : model_(model), workers_(workers) {}

  double mse(const torch::Tensor& x, const torch::Tensor& y) {
    model_->eval();
    std::vector<std::thread> threads;
    std::atomic<int64_t> next{0};
    double total = 0;
    std::mutex m;
    for (size_t w = 0; w < workers_; ++w) {
      threads.emplace_back([&] {
        torch::NoGradGuard no_grad;  // grad mode is per thread
        for (int64_t i; (i = next.fetch_add(64)) < x.size(0);) {
          auto e = torch::mse_loss(model_->forward(x.slice(0, i, i + 64)), y.slice(0, i, i + 64), torch::Reduction::Sum);
          std::lock_guard<std::mutex> lock(m);
          total += e.item<double>();
        }
      });
    }
    for (auto& t : threads) t.join();
    return total / x.size(0);
  }

  std::vector<torch::Tensor> predictions(const std::vector<torch::Tensor>& inputs) {
    std::vector<std::future<torch::Tensor>> jobs;
    for (auto& in : inputs) jobs.push_back(std::async(std::launch::async, &Evaluator::predict, this, in));
    std::vector<torch::Tensor> out;
    for (auto& j : jobs) out.push_back(j.get());
    return out;
  }

 private:
  torch::Tensor predict(torch::Tensor x) {
    c10::InferenceMode mode;
    return model_->forward(x).clone();
  }
  Regressor model_;
  size_t workers_;
};

int main() {
  Regressor model;
  torch::optim::Adam opt(model->parameters(), 1e-3);
  auto x = torch::randn({4096, 16}), y = x.sum(1, true);
  Evaluator eval(model, 4);
  for (int epoch = 0; epoch < 30; ++epoch) {
    model->train();
    for (int64_t i = 0; i < x.size(0); i += 128) {
      auto loss = torch::mse_loss(model->forward(x.slice(0, i, i + 128)), y.slice(0, i, i + 128));
      for (auto& p : model->parameters())
        if (p.grad().defined()) p.grad().detach_().zero_();
      loss.backward();
      opt.step();
    }
    std::cout << epoch << " " << eval.mse(x, y) << "\n";
  }
  std::vector<torch::Tensor> probes;
  for (int i = 0; i < 10; ++i) probes.push_back(torch::randn({1, 16}));
  for (auto& p : eval.predictions(probes)) std::cout << p.item<float>() << "\n";
}

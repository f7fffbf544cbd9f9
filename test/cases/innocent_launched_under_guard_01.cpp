#include <torch/torch.h>
#include <ATen/Parallel.h>
#include <atomic>
#include <functional>
#include <future>
#include <thread>
#include <vector>

// at::launch hands the grad mode of its caller to the task; the others here
// have guards of their own, or train.
void score_in_background(torch::nn::Linear net, torch::Tensor x, std::atomic<float>& out) {
  torch::NoGradGuard no_grad;
  at::launch([net, x, &out]() mutable { out = net->forward(x).mean().item<float>(); });
}

void score_in_parallel(torch::nn::Linear& net, const std::vector<torch::Tensor>& xs, std::vector<float>& out) {
  at::parallel_for(0, static_cast<int64_t>(xs.size()), 8, [&](int64_t begin, int64_t end) {
    torch::NoGradGuard no_grad;
    for (int64_t i = begin; i < end; ++i) out[i] = net->forward(xs[i]).item<float>();
  });
}

torch::Tensor loss_on_another_thread(torch::nn::Linear& net, torch::Tensor x, torch::Tensor y) {
  std::packaged_task<torch::Tensor()> task([&] { return torch::mse_loss(net->forward(x), y); });
  auto result = task.get_future();
  std::thread worker(std::move(task));
  worker.join();
  return result.get();
}

void train(torch::nn::Linear& net, torch::optim::Optimizer& opt, torch::Tensor x, torch::Tensor y) {
  for (int i = 0; i < 100; ++i) {
    opt.zero_grad();
    loss_on_another_thread(net, x, y).backward();
    opt.step();
  }
}

float when_asked(torch::nn::Linear& net, torch::Tensor x) {
  auto later = std::async(std::launch::deferred, [&] { return net->forward(x).item<float>(); });
  torch::NoGradGuard no_grad;
  return later.get();
}

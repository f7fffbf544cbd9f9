#include <torch/torch.h>
#include <ATen/Parallel.h>
#include <future>
#include <iostream>
#include <memory>
#include <vector>

struct EmbedderImpl : torch::nn::Module {
  EmbedderImpl() : fc1(300, 600), fc2(600, 50) {
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }
  torch::Tensor forward(const torch::Tensor& x) { return fc2(torch::tanh(fc1(x))); }
  torch::nn::Linear fc1, fc2;
};
TORCH_MODULE(Embedder);

// at::launch hands the caller's thread-local state, grad mode included, to the pool thread.
std::future<double> norm_async(Embedder net, torch::Tensor x) {
  auto promise = std::make_shared<std::promise<double>>();
  auto result = promise->get_future();
  at::launch([net, x, promise]() mutable { promise->set_value(net->forward(x).norm().item<double>()); });
  return result;
}

int main() {
  Embedder net;
  torch::load(net, "embedder.pt");
  net->eval();
  torch::NoGradGuard no_grad;
  std::vector<std::future<double>> norms;
  for (int i = 0; i < 64; ++i) norms.push_back(norm_async(net, torch::rand({32, 300})));
  double sum = 0;
  for (auto& n : norms) sum += n.get();
  std::cout << "mean norm " << sum / norms.size() << '\n';
}

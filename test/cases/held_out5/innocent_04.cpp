#include <torch/torch.h>
#include <future>
#include <iostream>
#include <memory>
#include <vector>

struct Net : torch::nn::Module {
  Net() {
    conv = register_module("conv", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 8, 9).stride(4)));
    fc = register_module("fc", torch::nn::Linear(8, 3));
  }
  torch::Tensor forward(const torch::Tensor& x) { return fc(torch::relu(conv(x)).mean(2)); }
  torch::nn::Conv1d conv{nullptr};
  torch::nn::Linear fc{nullptr};
};

// A call object that is safe to run on any thread.
class Predict {
 public:
  explicit Predict(std::shared_ptr<Net> net) : net_(std::move(net)) {}
  int64_t operator()(const torch::Tensor& signal) const {
    c10::InferenceMode guard;
    return net_->forward(signal.view({1, 1, -1})).argmax(1).item<int64_t>();
  }

 private:
  std::shared_ptr<Net> net_;
};

int main() {
  auto net = std::make_shared<Net>();
  torch::load(net, "beats.pt");
  net->eval();
  const Predict predict(net);

  std::vector<std::future<int64_t>> pending;
  for (int i = 0; i < 32; ++i) pending.push_back(std::async(std::launch::async, predict, torch::rand({1000})));
  std::vector<int> histogram(3);
  for (auto& p : pending) ++histogram[p.get()];
  for (int n : histogram) std::cout << n << ' ';
  std::cout << '\n';
}

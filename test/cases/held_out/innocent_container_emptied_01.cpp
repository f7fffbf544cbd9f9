#include <torch/torch.h>
#include <cstdio>
#include <map>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(4, 4)); }
  Tensor forward(Tensor x) { return a(x); }
};

class Logger {
 public:
  void add(const Tensor& loss) {
    window_.push_back(loss);
    if (window_.size() == 100) flush();
  }
  void flush() {
    float sum = 0;
    for (const auto& t : window_) sum += t.item<float>();
    std::printf("%.4f\n", sum / window_.size());
    window_.clear();
  }

 private:
  std::vector<Tensor> window_;
};

void train(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs) {
  Logger logger;
  std::vector<Tensor> batch_losses;
  std::map<int, Tensor> parts;
  for (const auto& x : xs) {
    batch_losses.clear();
    auto out = net.forward(x);
    for (int c = 0; c < 4; ++c) {
      parts[c] = out.select(1, c).square().mean();
      batch_losses.push_back(parts[c]);
    }
    auto loss = torch::stack(batch_losses).sum();
    opt.zero_grad();
    loss.backward();
    opt.step();
    logger.add(loss);
    parts = {};
  }
}

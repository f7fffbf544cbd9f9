#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(15, 5)); }
  Tensor forward(Tensor x) { return f(x); }
};

// Emptied once per epoch: the graphs of a whole epoch pile up, but no more.
class History {
 public:
  void add(const Tensor& t) { losses_.push_back(t); }
  float finish() {
    float sum = 0;
    for (const auto& l : losses_) sum += l.item<float>();
    const float mean = losses_.empty() ? 0 : sum / losses_.size();
    losses_.clear();
    return mean;
  }

 private:
  std::vector<Tensor> losses_;
};

void train(Net& net, torch::optim::Optimizer& opt, const std::vector<std::pair<Tensor, Tensor>>& data, int epochs) {
  History history;
  for (int e = 0; e < epochs; ++e) {
    for (const auto& [x, y] : data) {
      opt.zero_grad();
      auto loss = torch::cross_entropy_loss(net.forward(x), y);
      loss.backward();
      opt.step();
      history.add(loss);
    }
    std::cout << e << ' ' << history.finish() << '\n';
  }
}

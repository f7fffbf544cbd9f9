#include <torch/torch.h>
#include <functional>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(12, 3)); }
  Tensor forward(Tensor x) { return f(x); }
};

class Stepper {
 public:
  Stepper(std::vector<Tensor> parameters, int every) : opt_(std::move(parameters), 0.01), every_(every) {}
  double weight() const { return 1.0 / every_; }
  void after_backward() {
    if (++n_ % every_) return;
    opt_.step();
    clear();
  }

 private:
  void clear() {
    for (auto& group : opt_.param_groups())
      for (auto& p : group.params()) p.mutable_grad().reset();
  }
  torch::optim::SGD opt_;
  int every_, n_ = 0;
};

void train(Net& net, const std::vector<std::pair<Tensor, Tensor>>& data) {
  Stepper stepper(net.parameters(), 8);
  for (const auto& [x, y] : data) {
    auto loss = torch::huber_loss(net.forward(x), y);
    loss = stepper.weight() * loss;
    loss.backward();
    stepper.after_backward();
  }
}

void train_with_objective(Net& net, torch::optim::Optimizer& opt, const std::vector<std::function<Tensor()>>& objectives, int k) {
  size_t i = 0;
  while (i < objectives.size()) {
    opt.zero_grad();
    for (int j = 0; j < k && i < objectives.size(); ++j, ++i) (objectives[i]() / k).backward();
    opt.step();
  }
}

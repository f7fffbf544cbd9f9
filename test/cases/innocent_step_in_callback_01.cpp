#include <torch/torch.h>
#include <functional>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(5, 5)); }
  Tensor forward(Tensor x) { return f(x); }
};

// The generic loop does not know about optimizers: the callback steps after every batch.
class Loop {
 public:
  using Callback = std::function<void(int, double)>;
  void each(Callback c) { callbacks_.push_back(std::move(c)); }
  void run(const std::vector<Tensor>& xs, const std::function<Tensor(const Tensor&)>& objective) {
    int i = 0;
    for (const auto& x : xs) {
      auto loss = objective(x);
      loss.backward();
      const double value = loss.item<double>();
      for (auto& c : callbacks_) c(i, value);
      ++i;
    }
  }

 private:
  std::vector<Callback> callbacks_;
};

int main() {
  Net net;
  torch::optim::SGD opt(net.parameters(), 0.1);
  Loop loop;
  std::vector<double> curve;
  loop.each([&](int, double) {
    opt.step();
    opt.zero_grad();
  });
  loop.each([&](int, double value) { curve.push_back(value); });
  loop.run(std::vector<Tensor>(50, torch::rand({4, 5})),
           [&](const Tensor& x) { return torch::mse_loss(net.forward(x), x); });
  return curve.empty();
}

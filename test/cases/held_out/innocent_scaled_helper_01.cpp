#include <torch/torch.h>
#include <functional>
#include <iterator>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Conv1d c{nullptr};
  Net() { c = register_module("c", torch::nn::Conv1d(torch::nn::Conv1dOptions(1, 1, 9).padding(4))); }
  Tensor forward(Tensor x) { return c(x); }
};

static Tensor per_window(const Tensor& loss, int64_t window) { return torch::div(loss, window); }

static Tensor criterion(const Tensor& out, const Tensor& target, double weight) {
  return weight * torch::smooth_l1_loss(out, target);
}

class Accumulator {
 public:
  explicit Accumulator(int64_t window) : window_(window), weight_(1.0 / window) {}
  void backward(const Tensor& loss) const { (loss * weight_).backward(); }
  bool full(int64_t i) const { return (i + 1) % window_ == 0; }

 private:
  int64_t window_;
  double weight_;
};

void train(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs, int64_t window, int mode) {
  const Accumulator accumulator(window);
  for (int64_t i = 0; i < static_cast<int64_t>(xs.size()); ++i) {
    auto out = net.forward(xs[i]);
    if (mode == 0)
      per_window(torch::l1_loss(out, xs[i]), window).backward();
    else if (mode == 1)
      criterion(out, xs[i], 1.0 / window).backward();
    else
      accumulator.backward(torch::mse_loss(out, xs[i]));
    if (accumulator.full(i)) {
      opt.step();
      opt.zero_grad();
    }
  }
}

#include <torch/torch.h>
#include <vector>

namespace ag = torch::autograd;

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(9, 9)); }
  torch::Tensor forward(torch::Tensor x) { return a(x).tanh(); }
};

class GradOff {
 public:
  GradOff() : before_(ag::GradMode::is_enabled()) { ag::GradMode::set_enabled(false); }
  ~GradOff() { ag::GradMode::set_enabled(before_); }
  GradOff(const GradOff&) = delete;

 private:
  bool before_;
};

std::vector<torch::Tensor> codes(Net& net, const std::vector<torch::Tensor>& xs) {
  const bool before = ag::GradMode::is_enabled();
  ag::GradMode::set_enabled(false);
  std::vector<torch::Tensor> out;
  for (const auto& x : xs) out.push_back(net.forward(x));
  ag::GradMode::set_enabled(before);
  return out;
}

float level(Net& net, const std::vector<torch::Tensor>& xs) {
  GradOff off;
  auto sum = torch::zeros({});
  for (const auto& x : xs) sum += net.forward(x).abs().mean();
  return sum.item<float>();
}

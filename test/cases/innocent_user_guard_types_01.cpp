#include <torch/torch.h>
#include <iostream>
#include <utility>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  Net() { a = register_module("a", torch::nn::Linear(4, 4)); }
  Tensor forward(Tensor x) { return a(x); }
};

struct NoTape : torch::AutoGradMode {
  NoTape() : torch::AutoGradMode(false) {}
};

namespace app {
using InferenceScope = c10::InferenceMode;
inline torch::NoGradGuard quiet() { return torch::NoGradGuard(); }
}  // namespace app

#define EVAL_SECTION(net)                         \
  torch::NoGradGuard section_guard_##net;         \
  (net).eval()

float by_inheritance(Net& net, Tensor x) {
  NoTape scope;
  return net.forward(x).sum().item<float>();
}

float by_alias(Net& net, Tensor x) {
  app::InferenceScope scope;
  return net.forward(x).sum().item<float>();
}

float by_factory(Net& net, Tensor x) {
  const auto guard = app::quiet();
  return net.forward(x).sum().item<float>();
}

float by_macro(Net& net, const std::vector<Tensor>& xs) {
  EVAL_SECTION(net);
  Tensor sum = torch::zeros({});
  for (const auto& x : xs) sum += net.forward(x).sum();
  return sum.item<float>();
}

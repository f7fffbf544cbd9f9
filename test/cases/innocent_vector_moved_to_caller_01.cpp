#include <torch/torch.h>
#include <utility>
#include <vector>

using torch::Tensor;

struct Conv : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Conv() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 1, 3).padding(1))); }
  Tensor forward(Tensor x) { return c(x); }
};

namespace {
std::vector<Tensor> rollout(Conv& model, Tensor state, int steps) {
  std::vector<Tensor> states;
  states.reserve(steps);
  for (int i = 0; i < steps; ++i) {
    state = state + 0.1 * model.forward(state);
    states.push_back(state);
  }
  return states;
}

struct Trajectory {
  explicit Trajectory(std::vector<Tensor> s) : states(std::move(s)) {}
  Tensor loss(const std::vector<Tensor>& truth) const {
    Tensor sum = torch::zeros({});
    for (size_t i = 0; i < states.size(); ++i) sum = sum + torch::mse_loss(states[i], truth[i]);
    return sum / static_cast<double>(states.size());
  }
  std::vector<Tensor> states;
};
}  // namespace

// A learned simulator is trained through its own rollout.
float train_step(Conv& model, torch::optim::Optimizer& opt, const std::vector<Tensor>& truth) {
  Trajectory trajectory(rollout(model, truth.front(), static_cast<int>(truth.size())));
  auto loss = trajectory.loss(truth);
  opt.zero_grad();
  loss.backward();
  opt.step();
  return loss.item<float>();
}

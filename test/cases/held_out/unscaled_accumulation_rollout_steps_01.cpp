#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Dynamics : torch::nn::Module {
  torch::nn::Linear a{nullptr}, b{nullptr};
  Dynamics() {
    a = register_module("a", torch::nn::Linear(6, 64));
    b = register_module("b", torch::nn::Linear(64, 6));
  }
  Tensor forward(Tensor s) { return s + b(torch::tanh(a(s))); }
};

// One update per trajectory; the error of every step is back-propagated at once to save memory.
void train(Dynamics& model, torch::optim::Optimizer& opt, const std::vector<std::vector<Tensor>>& trajectories) {
  for (const auto& states : trajectories) {
    opt.zero_grad();
    double error = 0;
    for (size_t t = 0; t + 1 < states.size(); ++t) {
      auto predicted = model.forward(states[t]);
      auto loss = (predicted - states[t + 1]).abs().mean();
      loss.backward();
      error += loss.item<double>();
    }
    opt.step();
    std::printf("%f\n", error / states.size());
  }
}

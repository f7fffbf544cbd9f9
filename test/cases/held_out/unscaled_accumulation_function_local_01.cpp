#include <torch/torch.h>
#include <functional>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Net() { f = register_module("f", torch::nn::Linear(21, 3)); }
  Tensor forward(Tensor x) { return f(x); }
};

struct Phase {
  int batches;
  int window;
};

// The window grows from phase to phase, and the gradients with it.
void curriculum(Net& net, torch::optim::SGD& opt, const std::vector<Phase>& phases,
                const std::function<std::pair<Tensor, Tensor>()>& next) {
  std::function<void()> pass = [&]() {
    const auto [x, y] = next();
    const Tensor loss = torch::cross_entropy_loss(net.forward(x), y);
    loss.backward();  // EXPECT: unscaled-accumulation
  };
  for (const Phase& phase : phases) {
    for (int b = 0; b < phase.batches; ++b) {
      opt.zero_grad();
      for (int m = 0; m < phase.window; ++m) pass();
      opt.step();
    }
  }
}

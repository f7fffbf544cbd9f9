#include <torch/torch.h>

using torch::Tensor;

struct Critic : torch::nn::Module {
  torch::nn::Linear a{nullptr}, b{nullptr};
  Critic() {
    a = register_module("a", torch::nn::Linear(17, 64));
    b = register_module("b", torch::nn::Linear(64, 1));
  }
  Tensor forward(Tensor s) { return b(torch::tanh(a(s))).squeeze(1); }
};

struct Rollout {
  std::vector<Tensor> states, returns;
};

void update_critic(Critic& critic, torch::optim::Optimizer& opt, const Rollout& r) {
  const double parts = static_cast<double>(r.states.size());
  opt.zero_grad();
  for (size_t i = 0; i < r.states.size(); ++i) {
    Tensor loss = torch::mse_loss(critic.forward(r.states[i]), r.returns[i]);
    loss.div(parts);
    loss.backward();  // EXPECT: unscaled-accumulation
  }
  opt.step();
}

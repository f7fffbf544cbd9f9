#include <torch/torch.h>
#include <iostream>

struct Policy : torch::nn::Module {
  torch::nn::Linear a{nullptr}, b{nullptr};
  Policy() {
    a = register_module("a", torch::nn::Linear(4, 32));
    b = register_module("b", torch::nn::Linear(32, 2));
  }
  torch::Tensor forward(torch::Tensor s) { return b(torch::relu(a(s))); }
};

struct CartPole {
  torch::Tensor state = torch::zeros({1, 4});
  bool step(int64_t action) {
    state = state + (action ? 0.02 : -0.02);
    return state.abs().max().item<float>() < 2.4f;
  }
};

int rollout(Policy& policy) {
  {
    torch::NoGradGuard no_grad;
    for (auto& p : policy.parameters()) p.clamp_(-1, 1);
  }
  CartPole env;
  int reward = 0;
  bool alive = true;
  while (alive && reward < 500) {
    auto q = policy.forward(env.state);  // EXPECT: missing-no-grad
    alive = env.step(q.argmax(1).item<int64_t>());
    ++reward;
  }
  return reward;
}

int main() {
  Policy policy;
  std::cout << rollout(policy) << '\n';
}

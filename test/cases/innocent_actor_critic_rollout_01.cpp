#include <torch/torch.h>
#include <tuple>
#include <vector>

using torch::Tensor;

struct ActorCritic : torch::nn::Module {
  torch::nn::Linear body{nullptr}, actor{nullptr}, critic{nullptr};
  ActorCritic() {
    body = register_module("body", torch::nn::Linear(6, 64));
    actor = register_module("actor", torch::nn::Linear(64, 3));
    critic = register_module("critic", torch::nn::Linear(64, 1));
  }
  std::tuple<Tensor, Tensor> forward(Tensor s) {
    auto h = torch::tanh(body(s));
    return {torch::log_softmax(actor(h), -1), critic(h).squeeze(-1)};
  }
};

struct Rollout {
  std::vector<Tensor> log_probs, values, rewards;
};

Tensor a2c_loss(const Rollout& r) {
  auto values = torch::stack(r.values);
  auto advantage = torch::stack(r.rewards) - values;
  auto policy = -(torch::stack(r.log_probs) * advantage.detach()).mean();
  return policy + 0.5 * advantage.pow(2).mean();
}

void train(ActorCritic& net, torch::optim::Optimizer& opt, int updates, int horizon) {
  Tensor state = torch::zeros({16, 6});
  for (int u = 0; u < updates; ++u) {
    Rollout rollout;
    for (int t = 0; t < horizon; ++t) {
      auto [log_probs, value] = net.forward(state);
      auto action = log_probs.exp().multinomial(1);
      rollout.log_probs.push_back(log_probs.gather(1, action).squeeze(1));
      rollout.values.push_back(value);
      rollout.rewards.push_back(torch::rand({16}));
      state = torch::rand({16, 6});
    }
    opt.zero_grad();
    a2c_loss(rollout).backward();
    opt.step();
  }
}

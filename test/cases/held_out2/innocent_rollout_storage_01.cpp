#include <torch/torch.h>
#include <tuple>
#include <vector>

// Proximal policy optimisation: rollouts are collected without gradients.
struct ActorCritic : torch::nn::Module {
  ActorCritic() : trunk(8, 64), pi(64, 4), v(64, 1) {
    register_module("trunk", trunk);
    register_module("pi", pi);
    register_module("v", v);
  }
  std::pair<torch::Tensor, torch::Tensor> forward(const torch::Tensor& s) {
    auto h = torch::tanh(trunk(s));
    return {torch::log_softmax(pi(h), -1), v(h).squeeze(-1)};
  }
  torch::nn::Linear trunk, pi, v;
};

struct Storage {
  std::vector<torch::Tensor> states, actions, log_probs, values;
  void clear() {
    for (auto* list : {&states, &actions, &log_probs, &values}) list->clear();
  }
};

std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> act(ActorCritic& net, const torch::Tensor& s) {
  torch::NoGradGuard no_grad;
  auto [log_p, value] = net.forward(s);
  auto action = log_p.exp().multinomial(1);
  return {action, log_p.gather(-1, action), value};
}

torch::Tensor simulate(const torch::Tensor& action);

void train(ActorCritic& net, int updates) {
  torch::optim::Adam opt(net.parameters(), 3e-4);
  Storage storage;
  auto s = torch::zeros({16, 8});
  for (int u = 0; u < updates; ++u) {
    storage.clear();
    for (int t = 0; t < 128; ++t) {
      auto [a, lp, v] = act(net, s);
      storage.states.push_back(s);
      storage.actions.push_back(a);
      storage.log_probs.push_back(lp);
      storage.values.push_back(v);
      s = simulate(a);
    }
    auto states = torch::cat(storage.states), actions = torch::cat(storage.actions), old = torch::cat(storage.log_probs);
    for (int epoch = 0; epoch < 4; ++epoch) {
      auto [log_p, value] = net.forward(states);
      auto ratio = (log_p.gather(-1, actions) - old).exp();
      auto loss = -torch::min(ratio, ratio.clamp(0.8, 1.2)).mean() + 0.5 * value.pow(2).mean();
      opt.zero_grad();
      loss.backward();
      opt.step();
    }
  }
}

#include <torch/torch.h>
#include <iostream>
#include <vector>

struct ActorCriticImpl : torch::nn::Module {
  ActorCriticImpl(int64_t n_in, int64_t n_out) {
    a1 = register_module("a1", torch::nn::Linear(n_in, 64));
    mu = register_module("mu", torch::nn::Linear(64, n_out));
    c1 = register_module("c1", torch::nn::Linear(n_in, 64));
    v = register_module("v", torch::nn::Linear(64, 1));
    log_std = register_parameter("log_std", torch::full({n_out}, -0.5));
  }
  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    return {torch::tanh(mu(torch::tanh(a1(x)))), v(torch::tanh(c1(x)))};
  }
  torch::Tensor log_prob(torch::Tensor m, torch::Tensor action) {
    auto var = (2 * log_std).exp();
    return (-(action - m).pow(2) / (2 * var) - log_std - 0.9189385).sum(-1, true);
  }
  torch::Tensor entropy() { return (0.5 + 0.9189385 + log_std).sum(); }
  torch::nn::Linear a1{nullptr}, mu{nullptr}, c1{nullptr}, v{nullptr};
  torch::Tensor log_std;
};
TORCH_MODULE(ActorCritic);

struct Rollout {
  std::vector<torch::Tensor> states, actions, log_probs, values, rewards, masks;
  void clear() {
    states.clear();
    actions.clear();
    log_probs.clear();
    values.clear();
    rewards.clear();
    masks.clear();
  }
};

static torch::Tensor gae(const Rollout& r, torch::Tensor next_value, double gamma, double lambda) {
  torch::Tensor adv = torch::zeros({1});
  std::vector<torch::Tensor> out(r.rewards.size());
  for (int64_t t = int64_t(r.rewards.size()) - 1; t >= 0; --t) {
    auto delta = r.rewards[t] + gamma * next_value * r.masks[t] - r.values[t];
    adv = delta + gamma * lambda * r.masks[t] * adv;
    out[t] = adv + r.values[t];
    next_value = r.values[t];
  }
  return torch::cat(out).detach();
}

static void update(ActorCritic& ac, torch::optim::Optimizer& opt, const Rollout& r, torch::Tensor returns) {
  auto s = torch::cat(r.states), a = torch::cat(r.actions), old = torch::cat(r.log_probs).detach();
  auto adv = returns - torch::cat(r.values).detach();
  adv = (adv - adv.mean()) / (adv.std() + 1e-8);
  const int64_t n = s.size(0);
  for (int epoch = 0; epoch < 4; ++epoch) {
    auto perm = torch::randperm(n, torch::kLong);
    for (int64_t i = 0; i + 64 <= n; i += 64) {
      auto idx = perm.slice(0, i, i + 64);
      auto [m, value] = ac->forward(s.index_select(0, idx));
      auto lp = ac->log_prob(m, a.index_select(0, idx));
      auto ratio = (lp - old.index_select(0, idx)).exp();
      auto ad = adv.index_select(0, idx);
      auto actor = -torch::min(ratio * ad, ratio.clamp(0.8, 1.2) * ad).mean();
      auto critic = (returns.index_select(0, idx) - value).pow(2).mean();
      auto loss = actor + 0.5 * critic - 0.001 * ac->entropy();
      opt.zero_grad();
      loss.backward();
      opt.step();
    }
  }
}

int main() {
  ActorCritic ac(4, 2);
  torch::optim::Adam opt(ac->parameters(), 3e-4);
  Rollout r;
  torch::Tensor state = torch::rand({1, 4});
  for (int it = 0; it < 1000; ++it) {
    r.clear();
    torch::Tensor last;
    {
      torch::NoGradGuard no_grad;
      for (int t = 0; t < 256; ++t) {
        auto [m, value] = ac->forward(state);
        auto action = m + ac->log_std.exp() * torch::randn_like(m);
        r.states.push_back(state);
        r.actions.push_back(action);
        r.log_probs.push_back(ac->log_prob(m, action));
        r.values.push_back(value);
        state = (state + 0.1 * torch::cat({action, action}, 1)).clamp(-3, 3);
        r.rewards.push_back(-state.abs().sum(1, true));
        r.masks.push_back(torch::full({1, 1}, t % 64 == 63 ? 0.0 : 1.0));
      }
      last = std::get<1>(ac->forward(state));
    }
    update(ac, opt, r, gae(r, last, 0.99, 0.95));
    if (it % 10 == 0) std::cout << "iter " << it << std::endl;
  }
}

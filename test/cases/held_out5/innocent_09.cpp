#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

struct ActorCritic : torch::nn::Module {
  ActorCritic() {
    body = register_module("body", torch::nn::Linear(6, 64));
    pi = register_module("pi", torch::nn::Linear(64, 3));
    v = register_module("v", torch::nn::Linear(64, 1));
  }
  std::pair<Tensor, Tensor> forward(const Tensor& s) {
    auto h = torch::tanh(body(s));
    return {torch::log_softmax(pi(h), -1), v(h).squeeze(-1)};
  }
  torch::nn::Linear body{nullptr}, pi{nullptr}, v{nullptr};
};

struct Rollout {
  std::vector<Tensor> states, actions, log_probs, values;
  std::vector<float> rewards;
};

class Ppo {
 public:
  explicit Ppo(std::shared_ptr<ActorCritic> net) : net_(std::move(net)), opt_(net_->parameters(), 3e-4) {}

  Rollout collect(int64_t steps) const {
    torch::NoGradGuard no_grad;
    Rollout r;
    auto s = torch::rand({6});
    for (int64_t t = 0; t < steps; ++t) {
      auto [logp, value] = net_->forward(s);
      auto a = logp.exp().multinomial(1);
      r.states.push_back(s);
      r.actions.push_back(a);
      r.log_probs.push_back(logp.gather(0, a));
      r.values.push_back(value);
      s = torch::rand({6});
      r.rewards.push_back(s[0].item<float>());
    }
    return r;
  }

  void update(const Rollout& r) {
    auto s = torch::stack(r.states), a = torch::stack(r.actions), old = torch::stack(r.log_probs);
    auto advantage = torch::tensor(r.rewards) - torch::stack(r.values);
    for (int epoch = 0; epoch < 4; ++epoch) {
      auto [logp, value] = net_->forward(s);
      auto ratio = (logp.gather(1, a) - old).exp().squeeze(1);
      auto policy = -torch::min(ratio * advantage, ratio.clamp(0.8, 1.2) * advantage).mean();
      auto loss = policy + 0.5 * torch::mse_loss(value, torch::tensor(r.rewards));
      opt_.zero_grad();
      loss.backward();
      torch::nn::utils::clip_grad_norm_(net_->parameters(), 0.5);
      opt_.step();
    }
  }

 private:
  std::shared_ptr<ActorCritic> net_;
  torch::optim::Adam opt_;
};

int main() {
  Ppo ppo(std::make_shared<ActorCritic>());
  for (int i = 0; i < 500; ++i) ppo.update(ppo.collect(2048));
}

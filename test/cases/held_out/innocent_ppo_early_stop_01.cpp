#include <torch/torch.h>
#include <tuple>
#include <vector>

using torch::Tensor;

struct Rollouts {
  Tensor states, actions, old_log_probs, advantages, returns;
};

struct Agent : torch::nn::Module {
  torch::nn::Linear pi{nullptr}, v{nullptr};
  Agent() {
    pi = register_module("pi", torch::nn::Linear(8, 4));
    v = register_module("v", torch::nn::Linear(8, 1));
  }
  std::pair<Tensor, Tensor> forward(const Tensor& s) { return {torch::log_softmax(pi(s), 1), v(s).squeeze(1)}; }
};

void ppo_update(Agent& agent, torch::optim::Optimizer& opt, const Rollouts& r, int epochs, int64_t minibatch, float kl_limit) {
  const int64_t n = r.states.size(0);
  bool stop = false;
  for (int epoch = 0; epoch < epochs && !stop; ++epoch) {
    const auto order = torch::randperm(n);
    for (int64_t at = 0; at < n; at += minibatch) {
      const auto idx = order.slice(0, at, at + minibatch);
      auto [logits, value] = agent.forward(r.states.index_select(0, idx));
      auto logp = logits.gather(1, r.actions.index_select(0, idx)).squeeze(1);
      auto old = r.old_log_probs.index_select(0, idx);
      auto ratio = (logp - old).exp();
      auto adv = r.advantages.index_select(0, idx);
      auto loss = -torch::min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean() +
                  0.5 * torch::mse_loss(value, r.returns.index_select(0, idx));
      opt.zero_grad();
      loss.backward();
      if ((old - logp).mean().item<float>() > kl_limit) {
        stop = true;
        break;
      }
      opt.step();
    }
  }
}

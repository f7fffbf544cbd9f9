// RUN: %check %s torch-missing-no-grad
//
// A forward that leaves what training needs in a field of the module.

#include "../Inputs/net.h"

struct Actor : torch::nn::Module {
  Actor() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) {
    mu = torch::tanh(l->forward(x));
    torch::NoGradGuard no_grad; // actions are drawn, not differentiated
    return mu + torch::randn_like(mu);
  }
  Tensor log_prob(Tensor action) { return -(action - mu) * (action - mu); }
  torch::nn::Linear l{nullptr};
  Tensor mu;
};

void ok_update(Actor &actor, torch::optim::Optimizer &opt, Tensor states,
               Tensor actions) {
  for (int i = 0; i < 4; ++i) {
    actor.forward(states);
    opt.zero_grad();
    (-actor.log_prob(actions).mean()).backward();
    opt.step();
  }
}

struct Critic : torch::nn::Module {
  Critic() { l = register_module("l", torch::nn::Linear(64, 8)); }
  Tensor forward(Tensor x) {
    value = l->forward(x);
    return value;
  }
  Tensor loss(Tensor target) { return (target - value).pow(2).mean(); }
  torch::nn::Linear l{nullptr};
  Tensor value;
};

void ok_fit(Critic &critic, torch::optim::Optimizer &opt, Tensor states,
            Tensor returns) {
  for (int i = 0; i < 4; ++i) {
    critic.forward(states);
    opt.zero_grad();
    critic.loss(returns).backward();
    opt.step();
  }
}

int bad_judge(Critic &critic, Tensor state) {
  return critic.forward(state).argmax().item<int>();
  // CHECK-MESSAGES: :[[@LINE-1]]:{{.*}} [torch-missing-no-grad]
}

#include <torch/torch.h>
#include <iostream>
struct ActorImpl : torch::nn::Module {
  ActorImpl() : a(6, 64), b(64, 2) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor s) { return torch::tanh(b(torch::relu(a(s)))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Actor);
struct CriticImpl : torch::nn::Module {
  CriticImpl() : a(8, 64), b(64, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor s, torch::Tensor u) { return b(torch::relu(a(torch::cat({s, u}, 1)))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Critic);
class DDPG {
 public:
  DDPG() : actor_opt_(actor_->parameters(), torch::optim::AdamOptions(1e-4)), critic_opt_(critic_->parameters(), torch::optim::AdamOptions(1e-3)) {}
  double learn(torch::Tensor s, torch::Tensor a, torch::Tensor r, torch::Tensor n) {
    torch::Tensor y;
    {
      torch::NoGradGuard no_grad;
      y = r + 0.99 * critic_target_->forward(n, actor_target_->forward(n));
    }
    auto critic_loss = torch::mse_loss(critic_->forward(s, a), y);
    critic_loss.backward();
    critic_opt_.step();
    auto actor_loss = -critic_->forward(s, actor_->forward(s)).mean();
    actor_opt_.zero_grad();
    actor_loss.backward();
    actor_opt_.step();
    soft(*actor_, *actor_target_);
    soft(*critic_, *critic_target_);
    return critic_loss.item<double>();
  }
  torch::Tensor act(torch::Tensor s) {
    torch::NoGradGuard no_grad;
    return actor_->forward(s);
  }
 private:
  void soft(torch::nn::Module& m, torch::nn::Module& t) {
    torch::NoGradGuard no_grad;
    auto p = m.parameters(), q = t.parameters();
    for (size_t i = 0; i < p.size(); ++i) q[i].copy_(0.005 * p[i] + 0.995 * q[i]);
  }
  Actor actor_, actor_target_;
  Critic critic_, critic_target_;
  torch::optim::Adam actor_opt_, critic_opt_;
};
int main() {
  DDPG agent;
  for (int i = 0; i < 10000; ++i) {
    auto s = torch::rand({64, 6});
    auto a = agent.act(s) + 0.1 * torch::randn({64, 2});
    auto n = s + 0.01 * torch::randn({64, 6});
    auto l = agent.learn(s, a, -n.abs().sum(1, true), n);
    if (i % 500 == 0) std::cout << l << "\n";
  }
}

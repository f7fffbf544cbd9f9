#include <torch/torch.h>
#include <cmath>
#include <iostream>

static torch::nn::Sequential mlp(int64_t in, int64_t out) {
  return torch::nn::Sequential(torch::nn::Linear(in, 128), torch::nn::ReLU(), torch::nn::Linear(128, 128),
                               torch::nn::ReLU(), torch::nn::Linear(128, out));
}

struct SoftQImpl : torch::nn::Module {
  SoftQImpl(int64_t s, int64_t a) : net(register_module("net", mlp(s + a, 1))) {}
  torch::Tensor forward(torch::Tensor s, torch::Tensor a) { return net->forward(torch::cat({s, a}, 1)); }
  torch::nn::Sequential net;
};
TORCH_MODULE(SoftQ);

struct ActorImpl : torch::nn::Module {
  ActorImpl(int64_t s, int64_t a) : net(register_module("net", mlp(s, 2 * a))) {}
  std::pair<torch::Tensor, torch::Tensor> sample(torch::Tensor s) {
    auto parts = net->forward(s).chunk(2, 1);
    auto log_std = parts[1].clamp(-20, 2);
    auto eps = torch::randn_like(log_std);
    auto action = torch::tanh(parts[0] + log_std.exp() * eps);
    auto lp = (-0.5 * eps.pow(2) - log_std - 0.5 * std::log(2 * M_PI) - torch::log(1 - action.pow(2) + 1e-6)).sum(1, true);
    return {action, lp};
  }
  torch::nn::Sequential net;
};
TORCH_MODULE(Actor);

class Sac {
 public:
  Sac(int64_t s, int64_t a)
      : actor_(s, a), q1_(s, a), q2_(s, a), t1_(s, a), t2_(s, a), log_alpha_(torch::zeros({1}, torch::requires_grad())),
        actor_opt_(actor_->parameters(), 3e-4), q1_opt_(q1_->parameters(), 3e-4), q2_opt_(q2_->parameters(), 3e-4),
        alpha_opt_({log_alpha_}, torch::optim::AdamOptions(3e-4)), target_entropy_(-double(a)) {
    soft_update(*q1_, *t1_, 1.0);
    soft_update(*q2_, *t2_, 1.0);
  }

  torch::Tensor act(torch::Tensor s) {
    torch::NoGradGuard no_grad;
    return actor_->sample(s).first;
  }

  void update(torch::Tensor s, torch::Tensor a, torch::Tensor r, torch::Tensor n, torch::Tensor d) {
    torch::Tensor y;
    {
      torch::NoGradGuard no_grad;
      auto [na, nlp] = actor_->sample(n);
      y = r + 0.99 * (1 - d) * (torch::min(t1_->forward(n, na), t2_->forward(n, na)) - log_alpha_.exp() * nlp);
    }
    step(q1_opt_, torch::mse_loss(q1_->forward(s, a), y));
    step(q2_opt_, torch::mse_loss(q2_->forward(s, a), y));

    auto [pa, lp] = actor_->sample(s);
    auto q = torch::min(q1_->forward(s, pa), q2_->forward(s, pa));
    step(actor_opt_, (log_alpha_.exp().detach() * lp - q).mean());
    step(alpha_opt_, -(log_alpha_ * (lp + target_entropy_).detach()).mean());

    soft_update(*q1_, *t1_, 0.005);
    soft_update(*q2_, *t2_, 0.005);
  }

 private:
  static void step(torch::optim::Optimizer& opt, torch::Tensor loss) {
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
  static void soft_update(torch::nn::Module& src, torch::nn::Module& dst, double tau) {
    torch::NoGradGuard no_grad;
    auto from = src.parameters();
    auto to = dst.parameters();
    for (size_t i = 0; i < to.size(); ++i) to[i].mul_(1 - tau).add_(from[i], tau);
  }

  Actor actor_;
  SoftQ q1_, q2_, t1_, t2_;
  torch::Tensor log_alpha_;
  torch::optim::Adam actor_opt_, q1_opt_, q2_opt_, alpha_opt_;
  double target_entropy_;
};

int main() {
  Sac agent(8, 2);
  auto s = torch::rand({1, 8});
  std::vector<std::array<torch::Tensor, 5>> memory;
  for (int step = 0; step < 20000; ++step) {
    auto a = agent.act(s);
    auto n = (s + 0.05 * torch::randn({1, 8})).clamp(-1, 1);
    auto r = -(n.pow(2).sum(1, true) + 0.1 * a.pow(2).sum(1, true));
    memory.push_back({s, a, r, n, torch::zeros({1, 1})});
    s = n;
    if (memory.size() < 1000) continue;
    std::vector<torch::Tensor> b[5];
    for (int i = 0; i < 128; ++i) {
      auto& m = memory[torch::randint(int64_t(memory.size()), {1}).item<int64_t>()];
      for (int k = 0; k < 5; ++k) b[k].push_back(m[k]);
    }
    agent.update(torch::cat(b[0]), torch::cat(b[1]), torch::cat(b[2]), torch::cat(b[3]), torch::cat(b[4]));
  }
}

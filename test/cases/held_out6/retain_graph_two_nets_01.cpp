// Actor and critic are separate networks; the advantage is cut off from the critic.
#include <torch/torch.h>

#include <iostream>

using torch::Tensor;

struct MlpImpl : torch::nn::Module {
  MlpImpl(int64_t in, int64_t out) {
    l1 = register_module("l1", torch::nn::Linear(in, 64));
    l2 = register_module("l2", torch::nn::Linear(64, out));
  }
  Tensor forward(Tensor x) { return l2(torch::relu(l1(x))); }
  torch::nn::Linear l1{nullptr}, l2{nullptr};
};
TORCH_MODULE(Mlp);

struct Rollout {
  Tensor states, actions, returns;
};

Rollout collect(int64_t n) {
  return {torch::randn({n, 6}), torch::randint(0, 3, {n, 1}, torch::kLong), torch::randn({n})};
}

class ActorCritic {
 public:
  ActorCritic() : actor_(6, 3), critic_(6, 1), actor_opt_(actor_->parameters(), 1e-3), critic_opt_(critic_->parameters(), 5e-3) {}

  double update(const Rollout& r) {
    auto value = critic_->forward(r.states).squeeze(1);
    auto advantage = (r.returns - value).detach();
    auto logp = torch::log_softmax(actor_->forward(r.states), 1).gather(1, r.actions).squeeze(1);
    auto actor_loss = -(logp * advantage).mean();
    auto critic_loss = torch::mse_loss(value, r.returns);

    actor_opt_.zero_grad();
    actor_loss.backward({}, /*retain_graph=*/true);  // EXPECT: retain-graph
    actor_opt_.step();

    critic_opt_.zero_grad();
    critic_loss.backward();
    critic_opt_.step();
    return critic_loss.item<double>();
  }

 private:
  Mlp actor_, critic_;
  torch::optim::Adam actor_opt_, critic_opt_;
};

int main() {
  ActorCritic agent;
  for (int i = 0; i < 1000; ++i) {
    const double v = agent.update(collect(256));
    if (i % 100 == 0) std::cout << i << " " << v << "\n";
  }
}

#include <torch/torch.h>
#include <deque>
#include <vector>

using torch::Tensor;

struct Policy : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Policy() { f = register_module("f", torch::nn::Linear(5, 3)); }
  Tensor forward(const Tensor& s) { return torch::log_softmax(f(s), -1); }
};

struct Buffer {
  std::vector<Tensor> states, actions, log_probs;
  Tensor rewards = torch::zeros({256});
};

class Ppo {
 public:
  explicit Ppo(std::shared_ptr<Policy> p) : policy_(std::move(p)), opt_(policy_->parameters(), 3e-4) {}

  Buffer collect(int steps) {
    torch::NoGradGuard no_grad;
    Buffer b;
    Tensor s = torch::zeros({5});
    for (int t = 0; t < steps; ++t) {
      auto logp = policy_->forward(s);
      auto a = logp.exp().multinomial(1);
      b.states.push_back(s);
      b.actions.push_back(a);
      b.log_probs.push_back(logp.gather(0, a));
      b.rewards[t] = logp.max();
      s = torch::rand({5});
    }
    return b;
  }

  void train(int iterations) {
    for (int i = 0; i < iterations; ++i) {
      const Buffer b = collect(256);
      const auto s = torch::stack(b.states), a = torch::stack(b.actions), old = torch::stack(b.log_probs);
      for (int epoch = 0; epoch < 4; ++epoch) {
        auto ratio = (policy_->forward(s).gather(1, a) - old).exp().squeeze(1);
        auto loss = -(ratio * b.rewards).mean();
        opt_.zero_grad();
        loss.backward();
        opt_.step();
      }
    }
  }

 private:
  std::shared_ptr<Policy> policy_;
  torch::optim::Adam opt_;
};

#include <torch/torch.h>
#include <algorithm>
#include <random>
#include <utility>
#include <vector>

// Deep Q-learning with prioritised replay.
struct Transition {
  torch::Tensor state, next_state;
  int64_t action;
  float reward;
  bool done;
};

struct QNet : torch::nn::Module {
  QNet(int64_t obs, int64_t actions)
      : body(register_module("body", torch::nn::Linear(obs, 64))), head(register_module("head", torch::nn::Linear(64, actions))) {}
  torch::Tensor forward(const torch::Tensor& s) { return head(torch::relu(body(s))); }
  torch::nn::Linear body, head;
};

class Learner {
 public:
  Learner(std::shared_ptr<QNet> online, std::shared_ptr<QNet> target) : online_(online), target_(target), opt_(online->parameters(), 1e-4) {}

  void learn(const std::vector<Transition>& memory, int steps) {
    std::mt19937 rng(7);
    std::vector<std::pair<size_t, torch::Tensor>> priorities;
    for (int step = 0; step < steps; ++step) {
      const size_t pick = rng() % memory.size();
      const auto& [state, next_state, action, reward, done] = memory[pick];
      torch::Tensor bootstrap;
      {
        torch::NoGradGuard frozen;
        bootstrap = reward + (done ? 0.f : 0.99f) * target_->forward(next_state).max();
      }
      auto delta = bootstrap - online_->forward(state)[action];
      opt_.zero_grad();
      delta.pow(2).backward();
      opt_.step();
      priorities.emplace_back(pick, delta.abs());  // EXPECT: retained-graph
    }
    std::sort(priorities.begin(), priorities.end(),
              [](const auto& a, const auto& b) { return a.second.template item<float>() > b.second.template item<float>(); });
  }

 private:
  std::shared_ptr<QNet> online_, target_;
  torch::optim::Adam opt_;
};

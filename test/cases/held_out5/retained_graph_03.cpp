#include <torch/torch.h>
#include <random>
#include <vector>

struct QNet : torch::nn::Module {
  QNet() {
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(8, 128), torch::nn::ReLU(),
                                                         torch::nn::Linear(128, 4)));
  }
  torch::Tensor forward(torch::Tensor s) { return body->forward(s); }
  torch::nn::Sequential body{nullptr};
};

struct Transition {
  torch::Tensor state, next;
  int64_t action;
  float reward;
  torch::Tensor priority;
};

class PrioritizedReplay {
 public:
  void add(Transition t) { items_.push_back(std::move(t)); }
  const Transition& sample(std::mt19937& rng) const {
    std::vector<double> w;
    w.reserve(items_.size());
    for (auto& t : items_) w.push_back(t.priority.item<double>() + 1e-3);
    return items_[std::discrete_distribution<size_t>(w.begin(), w.end())(rng)];
  }

 private:
  std::vector<Transition> items_;
};

void collect(QNet& online, PrioritizedReplay& replay, torch::Tensor state, int64_t steps) {
  for (int64_t i = 0; i < steps; ++i) {
    auto q = online.forward(state);
    auto action = q.argmax().item<int64_t>();
    auto next = torch::rand({8});
    float reward = next.sum().item<float>();
    auto td = (reward + 0.99 * online.forward(next).max() - q[action]).abs();
    replay.add({state, next, action, reward, td});
    state = next;
  }
}

void learn(QNet& online, PrioritizedReplay& replay, torch::optim::Optimizer& opt, std::mt19937& rng) {
  const auto& t = replay.sample(rng);
  torch::Tensor target;
  {
    torch::NoGradGuard no_grad;
    target = t.reward + 0.99 * online.forward(t.next).max();
  }
  opt.zero_grad();
  torch::smooth_l1_loss(online.forward(t.state)[t.action], target).backward();
  opt.step();
}

int main() {
  QNet online;
  PrioritizedReplay replay;
  torch::optim::Adam opt(online.parameters(), 1e-4);
  std::mt19937 rng(1);
  for (int round = 0; round < 1000; ++round) {
    collect(online, replay, torch::rand({8}), 200);
    for (int k = 0; k < 50; ++k) learn(online, replay, opt, rng);
  }
}

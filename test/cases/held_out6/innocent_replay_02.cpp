// Actor side of a DQN: the replay keeps states and plain numbers; acting is done under a guard of its own class.
#include <torch/torch.h>

#include <deque>
#include <random>
#include <vector>

class QuietMode {
 public:
  QuietMode() = default;
  QuietMode(const QuietMode&) = delete;

 private:
  torch::NoGradGuard guard_;
};

struct Step {
  torch::Tensor obs, next;
  int64_t action;
  float reward, q_taken;
  bool last;
};

struct DuelImpl : torch::nn::Module {
  DuelImpl() {
    trunk = register_module("trunk", torch::nn::Linear(10, 64));
    adv = register_module("adv", torch::nn::Linear(64, 3));
    val = register_module("val", torch::nn::Linear(64, 1));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto h = torch::relu(trunk(x));
    auto a = adv(h);
    return val(h) + a - a.mean(-1, true);
  }
  torch::nn::Linear trunk{nullptr}, adv{nullptr}, val{nullptr};
};
TORCH_MODULE(Duel);

class Replay {
 public:
  explicit Replay(size_t cap) : cap_(cap) {}
  void push(Step s) {
    steps_.push_back(std::move(s));
    if (steps_.size() > cap_) steps_.pop_front();
  }
  std::vector<Step> draw(size_t n, std::mt19937& rng) const {
    std::vector<Step> out;
    std::uniform_int_distribution<size_t> pick(0, steps_.size() - 1);
    for (size_t i = 0; i < n; ++i) out.push_back(steps_[pick(rng)]);
    return out;
  }
  size_t size() const { return steps_.size(); }

 private:
  size_t cap_;
  std::deque<Step> steps_;
};

Step interact(Duel& q, const torch::Tensor& obs, std::mt19937& rng, double eps) {
  QuietMode quiet;
  auto values = q->forward(obs);
  const bool explore = std::bernoulli_distribution(eps)(rng);
  const int64_t a = explore ? static_cast<int64_t>(rng() % 3) : values.argmax(-1).item<int64_t>();
  return {obs, 0.95 * obs + 0.05 * torch::randn_like(obs), a, a == 1 ? 1.f : 0.f, values[a].item<float>(), false};
}

void update(Duel& q, torch::optim::Optimizer& opt, const std::vector<Step>& steps) {
  std::vector<torch::Tensor> obs, goal;
  std::vector<int64_t> act;
  for (const auto& s : steps) {
    obs.push_back(s.obs);
    act.push_back(s.action);
    torch::NoGradGuard off;
    goal.push_back(s.reward + 0.99 * q->forward(s.next).max());
  }
  auto taken = q->forward(torch::stack(obs)).gather(1, torch::tensor(act).unsqueeze(1)).squeeze(1);
  opt.zero_grad();
  torch::smooth_l1_loss(taken, torch::stack(goal)).backward();
  opt.step();
}

int main() {
  std::mt19937 rng(11);
  Duel q;
  torch::optim::Adam opt(q->parameters(), 1e-3);
  Replay replay(10000);
  auto obs = torch::randn({10});
  for (int t = 0; t < 50000; ++t) {
    auto s = interact(q, obs, rng, 0.1);
    obs = s.next;
    replay.push(s);
    if (replay.size() > 500) update(q, opt, replay.draw(32, rng));
  }
}

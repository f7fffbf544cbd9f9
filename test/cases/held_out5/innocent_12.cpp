#include <torch/torch.h>
#include <deque>
#include <random>

using torch::Tensor;

struct QNetImpl : torch::nn::Module {
  QNetImpl() : a(8, 64), b(64, 4) {
    register_module("a", a);
    register_module("b", b);
  }
  Tensor forward(const Tensor& s) { return b(torch::relu(a(s))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(QNet);

struct Transition {
  Tensor state, next;
  int64_t action;
  float reward;
};

class Dqn {
 public:
  Dqn() : opt_(online_->parameters(), 1e-4) { track(1.0); }
  int64_t act(const Tensor& s) {
    torch::NoGradGuard no_grad;
    return online_(s).argmax().item<int64_t>();
  }
  void remember(Transition t) {
    memory_.push_back(std::move(t));
    if (memory_.size() > 10000) memory_.pop_front();
  }
  void learn() {
    const auto& t = memory_[std::uniform_int_distribution<size_t>(0, memory_.size() - 1)(rng_)];
    auto q = online_(t.state)[t.action];
    Tensor goal;
    {
      torch::NoGradGuard no_grad;
      goal = t.reward + 0.99 * target_(t.next).max();
    }
    opt_.zero_grad();
    torch::smooth_l1_loss(q, goal).backward();
    opt_.step();
    track(0.005);
  }

 private:
  // target <- (1 - tau) target + tau online
  void track(double tau) {
    torch::NoGradGuard no_grad;
    auto src = online_->parameters(), dst = target_->parameters();
    for (size_t i = 0; i < dst.size(); ++i) dst[i].mul_(1.0 - tau).add_(src[i], tau);
  }
  QNet online_, target_;
  torch::optim::Adam opt_;
  std::deque<Transition> memory_;
  std::mt19937 rng_{5};
};

int main() {
  Dqn agent;
  auto s = torch::rand({8});
  for (int64_t step = 0; step < 100000; ++step) {
    const auto a = agent.act(s);
    auto next = torch::rand({8});
    agent.remember({s, next, a, next[a].item<float>()});
    agent.learn();
    s = next;
  }
}

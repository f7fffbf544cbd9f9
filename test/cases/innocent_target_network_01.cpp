#include <torch/torch.h>
#include <deque>
#include <random>
#include <vector>

using torch::Tensor;

struct Transition {
  Tensor state, action, reward, next;
};

class Dqn {
 public:
  Dqn() : online_(4, 2), target_(4, 2), opt_(online_->parameters(), 1e-3) { target_->eval(); }

  void remember(Transition t) {
    memory_.push_back(std::move(t));
    if (memory_.size() > 10000) memory_.pop_front();
  }

  double learn(size_t batch) {
    std::vector<Tensor> s, a, r, n;
    for (size_t i = 0; i < batch; ++i) {
      const auto& t = memory_[rng_() % memory_.size()];
      s.push_back(t.state), a.push_back(t.action), r.push_back(t.reward), n.push_back(t.next);
    }
    auto next_q = std::get<0>(target_->forward(torch::stack(n)).detach().max(1));
    auto q = online_->forward(torch::stack(s)).gather(1, torch::stack(a)).squeeze(1);
    auto loss = torch::mse_loss(q, torch::stack(r) + 0.99 * next_q);
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    if (++updates_ % 500 == 0) sync();
    return loss.item<double>();
  }

 private:
  void sync() {
    torch::NoGradGuard guard;
    auto from = online_->parameters(), to = target_->parameters();
    for (size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i]);
  }

  torch::nn::Linear online_, target_;
  torch::optim::Adam opt_;
  std::deque<Transition> memory_;
  std::mt19937 rng_;
  int updates_ = 0;
};

#include <torch/torch.h>
#include <deque>
#include <random>
#include <vector>

struct QNetImpl : torch::nn::Module {
  QNetImpl(int64_t s, int64_t a)
      : l1(register_module("l1", torch::nn::Linear(s, 128))), l2(register_module("l2", torch::nn::Linear(128, 128))),
        l3(register_module("l3", torch::nn::Linear(128, a))) {}
  torch::Tensor forward(torch::Tensor x) { return l3(torch::relu(l2(torch::relu(l1(x))))); }
  torch::nn::Linear l1, l2, l3;
};
TORCH_MODULE(QNet);

struct Transition {
  torch::Tensor state, next;
  int64_t action;
  float reward;
  bool done;
};

class Replay {
 public:
  explicit Replay(size_t cap) : cap_(cap) {}
  void push(Transition t) {
    if (data_.size() == cap_) data_.pop_front();
    data_.push_back(std::move(t));
  }
  std::vector<Transition> sample(size_t n) {
    std::vector<Transition> out;
    std::sample(data_.begin(), data_.end(), std::back_inserter(out), n, rng_);
    return out;
  }
  size_t size() const { return data_.size(); }

 private:
  size_t cap_;
  std::deque<Transition> data_;
  std::mt19937 rng_{42};
};

struct Env {
  torch::Tensor state = torch::zeros({4});
  torch::Tensor reset() { return state = torch::rand({4}); }
  std::tuple<torch::Tensor, float, bool> step(int64_t a) {
    state = state + 0.01 * (a ? 1 : -1);
    return {state, 1.0f, state.abs().max().item<float>() > 2.4f};
  }
};

class Agent {
 public:
  Agent() : online_(4, 2), target_(4, 2), opt_(online_->parameters(), torch::optim::AdamOptions(1e-3)) { sync(); }

  int64_t act(const torch::Tensor& s, double eps) {
    if (torch::rand({1}).item<double>() < eps) return torch::randint(2, {1}).item<int64_t>();
    torch::NoGradGuard g;
    return online_->forward(s.unsqueeze(0)).argmax(1).item<int64_t>();
  }

  void sync() {
    torch::NoGradGuard g;
    auto src = online_->named_parameters();
    for (auto& p : target_->named_parameters()) p.value().copy_(src[p.key()]);
  }

  void learn(Replay& replay) {
    if (replay.size() < 64) return;
    auto batch = replay.sample(64);
    std::vector<torch::Tensor> s, n;
    std::vector<int64_t> a;
    std::vector<float> r, d;
    for (auto& t : batch) {
      s.push_back(t.state);
      n.push_back(t.next);
      a.push_back(t.action);
      r.push_back(t.reward);
      d.push_back(t.done ? 0.f : 1.f);
    }
    auto q = online_->forward(torch::stack(s)).gather(1, torch::tensor(a).unsqueeze(1)).squeeze(1);
    auto best = std::get<0>(target_->forward(torch::stack(n)).max(1)).detach();
    auto y = torch::tensor(r) + 0.99 * torch::tensor(d) * best;
    auto loss = torch::smooth_l1_loss(q, y);
    opt_.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(online_->parameters(), 10.0);
    opt_.step();
    if (++updates_ % 500 == 0) sync();
  }

 private:
  QNet online_, target_;
  torch::optim::Adam opt_;
  int64_t updates_ = 0;
};

int main() {
  Agent agent;
  Replay replay(10000);
  Env env;
  for (int ep = 0; ep < 500; ++ep) {
    auto s = env.reset();
    for (int t = 0; t < 200; ++t) {
      auto a = agent.act(s, std::max(0.05, 1.0 - ep / 200.0));
      auto [n, r, done] = env.step(a);
      replay.push({s, n, a, r, done});
      agent.learn(replay);
      s = n;
      if (done) break;
    }
  }
}

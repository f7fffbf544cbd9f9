#include <torch/torch.h>
#include <algorithm>
#include <iostream>
#include <random>
#include <vector>

class DuelingImpl : public torch::nn::Module {
 public:
  DuelingImpl(int64_t in, int64_t actions) {
    trunk_ = register_module("trunk", torch::nn::Linear(in, 64));
    value_ = register_module("value", torch::nn::Linear(64, 1));
    adv_ = register_module("adv", torch::nn::Linear(64, actions));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(trunk_->forward(x));
    auto a = adv_->forward(x);
    return value_->forward(x) + a - a.mean(1, true);
  }

 private:
  torch::nn::Linear trunk_{nullptr}, value_{nullptr}, adv_{nullptr};
};
TORCH_MODULE(Dueling);

struct Buffer {
  torch::Tensor s = torch::zeros({5000, 6}), n = torch::zeros({5000, 6}), a = torch::zeros({5000}, torch::kLong),
                r = torch::zeros({5000}), d = torch::zeros({5000});
  int64_t pos = 0, size = 0;
  void add(const torch::Tensor& s0, int64_t act, float rew, const torch::Tensor& n0, bool done) {
    s[pos] = s0;
    n[pos] = n0;
    a[pos] = act;
    r[pos] = rew;
    d[pos] = done ? 1.f : 0.f;
    pos = (pos + 1) % 5000;
    size = std::min<int64_t>(size + 1, 5000);
  }
};

int64_t select_action(Dueling& net, const torch::Tensor& state, double epsilon, std::mt19937& rng) {
  std::uniform_real_distribution<double> u(0, 1);
  if (u(rng) < epsilon) return std::uniform_int_distribution<int64_t>(0, 2)(rng);
  torch::NoGradGuard();
  auto q = net->forward(state.unsqueeze(0));
  return q.argmax(1).item<int64_t>();
}

void hard_update(Dueling& from, Dueling& to) {
  torch::NoGradGuard no_grad;
  auto p = from->parameters(), q = to->parameters();
  for (size_t i = 0; i < p.size(); ++i) q[i].copy_(p[i]);
}

int main() {
  std::mt19937 rng(7);
  Dueling net(6, 3), target(6, 3);
  hard_update(net, target);
  torch::optim::Adam opt(net->parameters(), 5e-4);
  Buffer buf;
  auto state = torch::rand({6});
  double eps = 1.0;
  for (int64_t step = 0; step < 100000; ++step) {
    int64_t a = select_action(net, state, eps, rng);
    auto next = (state + 0.1 * torch::randn({6})).clamp(-1, 1);
    bool done = step % 200 == 199;
    buf.add(state, a, next.sum().item<float>(), next, done);
    state = done ? torch::rand({6}) : next;
    eps = std::max(0.05, eps * 0.9995);
    if (buf.size < 128) continue;
    auto idx = torch::randint(buf.size, {64}, torch::kLong);
    torch::Tensor y;
    {
      torch::NoGradGuard no_grad;
      auto n = buf.n.index_select(0, idx);
      auto pick = net->forward(n).argmax(1, true);
      y = buf.r.index_select(0, idx) +
          0.99 * (1 - buf.d.index_select(0, idx)) * target->forward(n).gather(1, pick).squeeze(1);
    }
    auto q = net->forward(buf.s.index_select(0, idx)).gather(1, buf.a.index_select(0, idx).unsqueeze(1)).squeeze(1);
    auto loss = torch::mse_loss(q, y);
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (step % 1000 == 0) {
      hard_update(net, target);
      std::cout << step << ' ' << loss.item<float>() << '\n';
    }
  }
}

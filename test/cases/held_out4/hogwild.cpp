#include <torch/torch.h>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>
struct PolicyImpl : torch::nn::Module {
  PolicyImpl() : body(4, 64), pi(64, 2), v(64, 1) {
    register_module("body", body);
    register_module("pi", pi);
    register_module("v", v);
  }
  std::pair<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
    auto h = torch::relu(body(x));
    return {torch::log_softmax(pi(h), -1), v(h).squeeze(-1)};
  }
  torch::nn::Linear body, pi, v;
};
TORCH_MODULE(Policy);
class Shared {
 public:
  Shared() : opt_(global_->parameters(), torch::optim::RMSpropOptions(1e-4)) {}
  void pull(Policy& local) {
    std::lock_guard<std::mutex> l(m_);
    torch::NoGradGuard no_grad;
    auto g = global_->parameters(), p = local->parameters();
    for (size_t i = 0; i < g.size(); ++i) p[i].copy_(g[i]);
  }
  void push(Policy& local) {
    std::lock_guard<std::mutex> l(m_);
    auto g = global_->parameters(), p = local->parameters();
    for (size_t i = 0; i < g.size(); ++i) g[i].mutable_grad() = p[i].grad().clone();
    opt_.step();
  }
 private:
  Policy global_;
  torch::optim::RMSprop opt_;
  std::mutex m_;
};
static void worker(Shared& shared, int seed, int updates) {
  Policy local;
  auto state = torch::rand({4}) + 0.01 * seed;
  for (int u = 0; u < updates; ++u) {
    shared.pull(local);
    std::vector<torch::Tensor> lp, vals;
    std::vector<float> rewards;
    for (int t = 0; t < 20; ++t) {
      auto [logits, value] = local->forward(state);
      auto a = logits.exp().multinomial(1);
      lp.push_back(logits.gather(0, a).squeeze());
      vals.push_back(value);
      state = (state + 0.05 * torch::randn({4})).clamp(-1, 1);
      rewards.push_back(state.sum().item<float>());
    }
    float r = 0;
    torch::Tensor loss = torch::zeros({});
    for (int t = 19; t >= 0; --t) {
      r = rewards[t] + 0.99f * r;
      auto adv = r - vals[t];
      loss = loss - lp[t] * adv.detach() + 0.5 * adv.pow(2);
    }
    local->zero_grad();
    loss.backward();
    shared.push(local);
  }
}
int main() {
  Shared shared;
  std::vector<std::thread> pool;
  for (int i = 0; i < 4; ++i) pool.emplace_back(worker, std::ref(shared), i, 1000);
  for (auto& t : pool) t.join();
}

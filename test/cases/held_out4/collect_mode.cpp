#include <torch/torch.h>
#include <iostream>
#include <vector>
struct PiImpl : torch::nn::Module {
  PiImpl() : a(4, 32), b(32, 2) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return torch::log_softmax(b(torch::tanh(a(x))), -1); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Pi);
struct Rollout {
  std::vector<torch::Tensor> s, a;
  std::vector<float> r;
};
class Runner {
 public:
  explicit Runner(Pi& p) : pi_(p) {}
  Rollout collect(int n) {
    torch::GradMode::set_enabled(false);
    Rollout ro;
    for (int i = 0; i < n; ++i) {
      auto act = pi_->forward(state_).exp().multinomial(1);
      ro.s.push_back(state_);
      ro.a.push_back(act);
      state_ = (state_ + 0.1 * torch::randn({4})).clamp(-1, 1);
      ro.r.push_back(state_.sum().item<float>());
    }
    return ro;
  }
 private:
  Pi& pi_;
  torch::Tensor state_ = torch::zeros({4});
};
static torch::Tensor returns(const std::vector<float>& r) {
  std::vector<float> g(r.size());
  float run = 0;
  for (int i = int(r.size()) - 1; i >= 0; --i) g[i] = run = r[i] + 0.99f * run;
  auto t = torch::tensor(g);
  return (t - t.mean()) / (t.std() + 1e-6);
}
int main() {
  Pi pi;
  Runner runner(pi);
  torch::optim::Adam opt(pi->parameters(), 1e-2);
  for (int it = 0; it < 500; ++it) {
    auto ro = runner.collect(200);
    auto lp = pi->forward(torch::stack(ro.s)).gather(1, torch::stack(ro.a)).squeeze(1);
    auto loss = -(lp * returns(ro.r)).mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (it % 10 == 0) std::cout << it << " " << loss.item<float>() << "\n";
  }
}

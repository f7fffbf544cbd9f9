// Policy gradient with two phases: play() fills a buffer of plain numbers, improve() replays it.
#include <torch/torch.h>

#include <array>
#include <vector>

struct CartState {
  std::array<float, 4> v{};
  torch::Tensor tensor() const { return torch::tensor({v[0], v[1], v[2], v[3]}); }
};

struct Cart {
  CartState reset() { return state = CartState{}; }
  bool advance(int64_t action) {
    state.v[0] += 0.02f * state.v[1];
    state.v[1] += action == 1 ? 0.2f : -0.2f;
    state.v[2] += 0.02f * state.v[3];
    state.v[3] -= action == 1 ? 0.3f : -0.3f;
    return state.v[2] > 0.2f || state.v[2] < -0.2f;
  }
  CartState state;
};

struct Sample {
  CartState state;
  int64_t action;
  float old_logp;
  float gain = 0.f;
};

struct PolicyImpl : torch::nn::Module {
  PolicyImpl() {
    hidden = register_module("hidden", torch::nn::Linear(4, 32));
    head = register_module("head", torch::nn::Linear(32, 2));
  }
  torch::Tensor forward(torch::Tensor s) { return torch::log_softmax(head(torch::tanh(hidden(s))), -1); }
  torch::nn::Linear hidden{nullptr}, head{nullptr};
};
TORCH_MODULE(Policy);

std::vector<Sample> play(Policy& policy, Cart& cart, int steps) {
  std::vector<Sample> out;
  auto state = cart.reset();
  for (int t = 0; t < steps; ++t) {
    auto logp = policy->forward(state.tensor());  // EXPECT: missing-no-grad
    const auto action = torch::multinomial(logp.exp(), 1).item<int64_t>();
    out.push_back({state, action, logp[action].item<float>()});
    state = cart.advance(action) ? cart.reset() : cart.state;
  }
  float run = 0.f;
  for (auto it = out.rbegin(); it != out.rend(); ++it) it->gain = run = 1.f + 0.99f * run;
  return out;
}

void improve(Policy& policy, torch::optim::Adam& opt, const std::vector<Sample>& samples) {
  std::vector<torch::Tensor> s;
  std::vector<int64_t> a;
  std::vector<float> old_logp, gain;
  for (const auto& x : samples) {
    s.push_back(x.state.tensor());
    a.push_back(x.action);
    old_logp.push_back(x.old_logp);
    gain.push_back(x.gain);
  }
  const auto states = torch::stack(s), actions = torch::tensor(a).unsqueeze(1);
  const auto before = torch::tensor(old_logp), gains = torch::tensor(gain);
  for (int pass = 0; pass < 4; ++pass) {
    auto ratio = (policy->forward(states).gather(1, actions).squeeze(1) - before).exp();
    auto loss = -torch::min(ratio * gains, ratio.clamp(0.8, 1.2) * gains).mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

int main() {
  Policy policy;
  Cart cart;
  torch::optim::Adam opt(policy->parameters(), 1e-3);
  for (int round = 0; round < 500; ++round) improve(policy, opt, play(policy, cart, 1024));
}

// REINFORCE: log-probabilities are members, needed by the backward at the end of the episode, then cleared.
#include <torch/torch.h>

#include <cstdio>
#include <deque>
#include <vector>

struct PolicyNetImpl : torch::nn::Module {
  PolicyNetImpl() {
    fc = register_module("fc", torch::nn::Linear(4, 128));
    drop = register_module("drop", torch::nn::Dropout(0.6));
    act = register_module("act", torch::nn::Linear(128, 2));
  }
  torch::Tensor forward(torch::Tensor s) { return torch::softmax(act(torch::relu(drop(fc(s)))), -1); }
  torch::nn::Linear fc{nullptr}, act{nullptr};
  torch::nn::Dropout drop{nullptr};
};
TORCH_MODULE(PolicyNet);

class Agent {
 public:
  Agent() : opt_(policy_->parameters(), torch::optim::AdamOptions(1e-2)) {}

  int64_t act(const torch::Tensor& state) {
    auto probs = policy_->forward(state);
    const auto action = torch::multinomial(probs, 1).item<int64_t>();
    log_probs_.push_back(torch::log(probs[action]));
    return action;
  }

  void reward(float r) { rewards_.push_back(r); }

  void finish_episode() {
    std::deque<float> returns;
    float run = 0;
    for (auto it = rewards_.rbegin(); it != rewards_.rend(); ++it) returns.push_front(run = *it + 0.99f * run);
    auto g = torch::tensor(std::vector<float>(returns.begin(), returns.end()));
    g = (g - g.mean()) / (g.std() + 1e-6);

    std::vector<torch::Tensor> terms;
    for (size_t t = 0; t < log_probs_.size(); ++t) terms.push_back(-log_probs_[t] * g[t]);
    opt_.zero_grad();
    torch::stack(terms).sum().backward();
    opt_.step();
    log_probs_.clear();
    rewards_.clear();
  }

 private:
  PolicyNet policy_;
  torch::optim::Adam opt_;
  std::vector<torch::Tensor> log_probs_;
  std::vector<float> rewards_;
};

int main() {
  Agent agent;
  for (int episode = 0; episode < 1000; ++episode) {
    auto state = torch::zeros({4});
    int t = 0;
    for (; t < 200; ++t) {
      const auto action = agent.act(state);
      state = state * 0.9 + (action ? 0.1 : -0.1) + 0.01 * torch::randn({4});
      agent.reward(1.f);
      if (state.abs().max().item<float>() > 0.5f) break;
    }
    agent.finish_episode();
    if (episode % 50 == 0) std::printf("%d: %d steps\n", episode, t);
  }
}

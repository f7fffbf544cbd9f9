#include <torch/torch.h>
#include <vector>

struct Policy : torch::nn::Module {
  Policy() {
    l1 = register_module("l1", torch::nn::Linear(4, 128));
    l2 = register_module("l2", torch::nn::Linear(128, 2));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::softmax(l2(torch::relu(l1(x))), -1); }
  torch::nn::Linear l1{nullptr}, l2{nullptr};
};

struct Env {
  torch::Tensor reset();
  std::tuple<torch::Tensor, float, bool> step(int64_t action);
};

// The log probabilities of an episode are needed at its end.
class Agent {
 public:
  int64_t choose(const torch::Tensor& observation) {
    auto p = policy.forward(observation);
    auto action = p.multinomial(1).item<int64_t>();
    saved_log_probs.push_back(torch::log(p[action]));
    return action;
  }
  void finish_episode() {
    float ret = 0;
    std::vector<float> returns(rewards.size());
    for (size_t i = rewards.size(); i-- > 0;) returns[i] = ret = rewards[i] + 0.99f * ret;
    auto target = torch::tensor(returns);
    target = (target - target.mean()) / (target.std() + 1e-8);
    torch::Tensor objective = torch::zeros({});
    for (size_t i = 0; i < saved_log_probs.size(); ++i) objective = objective - saved_log_probs[i] * target[static_cast<int64_t>(i)];
    optimizer.zero_grad();
    objective.backward();
    optimizer.step();
    rewards.clear();
    saved_log_probs.clear();
  }
  Policy policy;
  torch::optim::Adam optimizer{policy.parameters(), 1e-2};
  std::vector<torch::Tensor> saved_log_probs;
  std::vector<float> rewards;
};

int main() {
  Env env;
  Agent agent;
  for (int episode = 0; episode < 1000; ++episode) {
    auto observation = env.reset();
    for (bool done = false; !done;) {
      auto [next, reward, over] = env.step(agent.choose(observation));
      agent.rewards.push_back(reward);
      observation = next;
      done = over;
    }
    agent.finish_episode();
  }
}

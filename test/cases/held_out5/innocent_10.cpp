#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;

class A2cAgent : public torch::nn::Module {
 public:
  A2cAgent() {
    trunk_ = register_module("trunk", torch::nn::Linear(4, 128));
    policy_ = register_module("policy", torch::nn::Linear(128, 2));
    value_ = register_module("value", torch::nn::Linear(128, 1));
  }

  int64_t act(const Tensor& obs) {
    auto h = torch::relu(trunk_(obs));
    auto log_p = torch::log_softmax(policy_(h), -1);
    const auto a = log_p.exp().multinomial(1).item<int64_t>();
    log_probs_.push_back(log_p[a]);
    values_.push_back(value_(h).squeeze());
    return a;
  }
  void reward(float r) { rewards_.push_back(r); }

  Tensor finish_episode(double gamma) {
    std::vector<float> returns(rewards_.size());
    double acc = 0;
    for (size_t i = rewards_.size(); i-- > 0;) returns[i] = static_cast<float>(acc = rewards_[i] + gamma * acc);
    auto target = torch::tensor(returns);
    auto value = torch::stack(values_);
    auto advantage = (target - value).detach();
    auto loss = -(torch::stack(log_probs_) * advantage).mean() + torch::smooth_l1_loss(value, target);
    log_probs_.clear();
    values_.clear();
    rewards_.clear();
    return loss;
  }

 private:
  torch::nn::Linear trunk_{nullptr}, policy_{nullptr}, value_{nullptr};
  std::vector<Tensor> log_probs_, values_;
  std::vector<float> rewards_;
};

int main() {
  A2cAgent agent;
  torch::optim::Adam opt(agent.parameters(), 3e-3);
  for (int episode = 0; episode < 2000; ++episode) {
    auto obs = torch::zeros({4});
    for (int t = 0; t < 200 && obs.abs().max().item<float>() < 2.0f; ++t) {
      const auto a = agent.act(obs);
      obs = obs + 0.1 * torch::randn({4}) + (a == 0 ? -0.02 : 0.02);
      agent.reward(1.0f);
    }
    opt.zero_grad();
    auto loss = agent.finish_episode(0.99);
    loss.backward();
    opt.step();
    if (episode % 100 == 0) std::cout << episode << ' ' << loss.item<float>() << '\n';
  }
}

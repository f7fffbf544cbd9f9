#include <torch/torch.h>
#include <iostream>
#include <vector>

struct RecurrentPolicyImpl : torch::nn::Module {
  RecurrentPolicyImpl(int64_t obs, int64_t actions, int64_t hidden)
      : enc(register_module("enc", torch::nn::Linear(obs, hidden))),
        cell(register_module("cell", torch::nn::GRUCell(hidden, hidden))),
        pi(register_module("pi", torch::nn::Linear(hidden, actions))),
        vf(register_module("vf", torch::nn::Linear(hidden, 1))) {}
  std::tuple<torch::Tensor, torch::Tensor, torch::Tensor> forward(torch::Tensor x, torch::Tensor h) {
    h = cell->forward(torch::relu(enc->forward(x)), h);
    return std::make_tuple(torch::log_softmax(pi->forward(h), -1), vf->forward(h), h);
  }
  torch::nn::Linear enc;
  torch::nn::GRUCell cell;
  torch::nn::Linear pi, vf;
};
TORCH_MODULE(RecurrentPolicy);

struct VecEnv {
  torch::Tensor obs = torch::rand({8, 5});
  std::pair<torch::Tensor, torch::Tensor> step(torch::Tensor action) {
    obs = (obs + 0.1 * torch::randn({8, 5})).clamp(-1, 1);
    return {obs, (obs.sum(1) * action.squeeze(1).to(torch::kFloat)).detach()};
  }
};

int main() {
  const int64_t hidden = 64;
  const int n_steps = 5;
  VecEnv env;
  RecurrentPolicy policy(5, 2, hidden);
  torch::optim::RMSprop opt(policy->parameters(), torch::optim::RMSpropOptions(7e-4).eps(1e-5));
  auto obs = env.obs;
  auto h = torch::zeros({8, hidden});
  for (int update = 0; update < 10000; ++update) {
    std::vector<torch::Tensor> log_probs, values, rewards;
    torch::Tensor entropy = torch::zeros({1});
    for (int t = 0; t < n_steps; ++t) {
      torch::Tensor logits, v;
      std::tie(logits, v, h) = policy->forward(obs, h);
      auto action = logits.exp().multinomial(1);
      log_probs.push_back(logits.gather(1, action).squeeze(1));
      values.push_back(v.squeeze(1));
      entropy = entropy - (logits * logits.exp()).sum(-1).mean();
      auto [next, reward] = env.step(action);
      rewards.push_back(reward);
      obs = next;
    }
    torch::Tensor ret;
    {
      torch::NoGradGuard no_grad;
      ret = std::get<1>(policy->forward(obs, h)).squeeze(1);
    }
    torch::Tensor policy_loss = torch::zeros({1}), value_loss = torch::zeros({1});
    for (int t = n_steps - 1; t >= 0; --t) {
      ret = rewards[t] + 0.99 * ret;
      auto adv = ret - values[t];
      policy_loss = policy_loss - (log_probs[t] * adv.detach()).mean();
      value_loss = value_loss + adv.pow(2).mean();
    }
    auto loss = policy_loss + 0.5 * value_loss - 0.01 * entropy;
    opt.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(policy->parameters(), 0.5);
    opt.step();
    if (update % 100 == 0) std::cout << update << " " << loss.item<float>() << "\n";
  }
}

#include <torch/torch.h>
#include <vector>

struct PolicyImpl : torch::nn::Module {
  PolicyImpl() {
    affine1 = register_module("affine1", torch::nn::Linear(4, 128));
    affine2 = register_module("affine2", torch::nn::Linear(128, 2));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::softmax(affine2(torch::relu(affine1(x))), 1); }
  torch::nn::Linear affine1{nullptr}, affine2{nullptr};
  std::vector<torch::Tensor> saved_log_probs;
  std::vector<float> rewards;
};
TORCH_MODULE(Policy);

int64_t select_action(Policy& policy, const torch::Tensor& state) {
  auto probs = policy(state.unsqueeze(0));
  auto action = probs.multinomial(1);
  policy->saved_log_probs.push_back(probs.gather(1, action).log());
  return action.item<int64_t>();
}

void finish_episode(Policy& policy, torch::optim::Optimizer& optimizer) {
  float ret = 0;
  std::vector<torch::Tensor> losses;
  for (int i = static_cast<int>(policy->rewards.size()) - 1; i >= 0; --i) {
    ret = policy->rewards[i] + 0.99f * ret;
    losses.push_back(-policy->saved_log_probs[i] * ret);
  }
  optimizer.zero_grad();
  torch::cat(losses).sum().backward();
  optimizer.step();
  policy->rewards.clear();
  policy->saved_log_probs.clear();
}

int main() {
  Policy policy;
  torch::optim::Adam optimizer(policy->parameters(), 1e-2);
  for (int episode = 0; episode < 1000; ++episode) {
    for (int t = 0; t < 200; ++t) policy->rewards.push_back(select_action(policy, torch::rand({4})) ? 1.f : 0.f);
    finish_episode(policy, optimizer);
  }
}

#include <torch/torch.h>
#include <iostream>
#include <memory>

struct Policy : torch::nn::Module {
  Policy() {
    net = register_module("net", torch::nn::Sequential(torch::nn::Linear(4, 64), torch::nn::Tanh(),
                                                       torch::nn::Linear(64, 2)));
  }
  torch::Tensor forward(const torch::Tensor& obs) { return torch::softmax(net->forward(obs), -1); }
  torch::nn::Sequential net{nullptr};
};

struct CartPole {
  torch::Tensor reset() { return state = torch::zeros({4}); }
  bool step(int64_t action, float& reward) {
    state = state + 0.02 * (action == 0 ? -1.0 : 1.0) + 0.01 * torch::randn({4});
    reward = 1.0f;
    return state.abs().max().item<float>() > 2.4f;
  }
  torch::Tensor state;
};

float run_greedy(const std::unique_ptr<Policy>& policy, int episodes) {
  torch::AutoGradMode{false};
  CartPole env;
  float total = 0;
  for (int e = 0; e < episodes; ++e) {
    auto obs = env.reset();
    for (bool done = false; !done;) {
      const auto action = policy->forward(obs).argmax(-1).item<int64_t>();
      float reward = 0;
      done = env.step(action, reward);
      obs = env.state;
      total += reward;
    }
  }
  return total / episodes;
}

int main() {
  auto policy = std::make_unique<Policy>();
  torch::serialize::InputArchive archive;
  archive.load_from("policy.pt");
  policy->load(archive);
  policy->eval();
  std::cout << "mean return " << run_greedy(policy, 100) << '\n';
}

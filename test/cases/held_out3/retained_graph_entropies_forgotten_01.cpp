#include <torch/torch.h>
#include <vector>

// Advantage actor-critic; the entropies are only logged.
class A2C {
 public:
  A2C(torch::nn::Linear actor, torch::nn::Linear critic) : actor_(actor), critic_(critic) {
    auto all = actor_->parameters();
    auto more = critic_->parameters();
    all.insert(all.end(), more.begin(), more.end());
    optimizer_ = std::make_unique<torch::optim::RMSprop>(all, 7e-4);
  }

  int64_t step(const torch::Tensor& state) {
    auto probabilities = torch::softmax(actor_(state), -1);
    auto action = probabilities.multinomial(1).item<int64_t>();
    log_probs_.push_back(probabilities[action].log());
    values_.push_back(critic_(state).squeeze());
    entropies_.push_back(-(probabilities * probabilities.log()).sum());  // EXPECT: retained-graph
    return action;
  }

  void update(const std::vector<float>& returns) {
    auto loss = torch::zeros({});
    for (size_t i = 0; i < returns.size(); ++i) {
      auto advantage = returns[i] - values_[i];
      loss = loss - log_probs_[i] * advantage.detach() + advantage.pow(2);
    }
    optimizer_->zero_grad();
    loss.backward();
    optimizer_->step();
    log_probs_.clear();
    values_.clear();
  }

  float mean_entropy() const { return torch::stack(entropies_).mean().item<float>(); }

 private:
  torch::nn::Linear actor_, critic_;
  std::unique_ptr<torch::optim::RMSprop> optimizer_;
  std::vector<torch::Tensor> log_probs_, values_, entropies_;
};

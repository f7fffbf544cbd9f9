#include <torch/torch.h>
#include <map>
#include <memory>
#include <string>

using torch::Tensor;

struct Sac {
  torch::nn::Linear actor{8, 2}, critic{10, 1};
  Tensor log_alpha = torch::zeros({1}, torch::requires_grad());
};

class SacLearner {
 public:
  SacLearner()
      : actor_opt_(nets_.actor->parameters(), 3e-4), critic_opt_(nets_.critic->parameters(), 3e-4),
        alpha_opt_(std::vector<Tensor>{nets_.log_alpha}, 3e-4) {}

  void update(const Tensor& s, const Tensor& a, const Tensor& q_target) {
    auto critic_loss = torch::mse_loss(nets_.critic(torch::cat({s, a}, 1)), q_target);
    apply(critic_opt_, critic_loss);
    auto action = torch::tanh(nets_.actor(s));
    auto actor_loss = -nets_.critic(torch::cat({s, action}, 1)).mean();
    apply(actor_opt_, actor_loss);
    auto alpha_loss = (nets_.log_alpha.exp() * (action.detach().square().mean() - 0.5)).mean();
    apply(alpha_opt_, alpha_loss);

    ++updates_;
    sums_["critic"] = sums_.count("critic") ? sums_["critic"] + critic_loss.detach() : critic_loss.detach();
    sums_["actor"] = sums_.count("actor") ? sums_["actor"] + actor_loss.detach() : actor_loss.detach();
    alpha_sum_ += nets_.log_alpha.exp();  // EXPECT: retained-graph
  }

  float alpha() const { return (alpha_sum_ / updates_).item<float>(); }

 private:
  static void apply(torch::optim::Optimizer& opt, const Tensor& loss) {
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
  Sac nets_;
  torch::optim::Adam actor_opt_, critic_opt_, alpha_opt_;
  std::map<std::string, Tensor> sums_;
  Tensor alpha_sum_ = torch::zeros({1});
  int updates_ = 0;
};

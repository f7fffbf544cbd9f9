#include <torch/torch.h>
#include <random>

using torch::Tensor;

struct QNetImpl : torch::nn::Module {
  torch::nn::Linear in{nullptr}, mid{nullptr}, out{nullptr};
  QNetImpl(int64_t states, int64_t actions) {
    in = register_module("in", torch::nn::Linear(states, 64));
    mid = register_module("mid", torch::nn::Linear(64, 64));
    out = register_module("out", torch::nn::Linear(64, actions));
  }
  Tensor forward(const Tensor& s) { return out(torch::relu(mid(torch::relu(in(s))))); }
};
TORCH_MODULE(QNet);

class Agent {
 public:
  Agent() : q_(8, 4), opt_(q_->parameters(), 1e-4) {}

  int64_t act(const Tensor& state, float epsilon) {
    if (std::uniform_real_distribution<float>(0, 1)(rng_) < epsilon) return std::uniform_int_distribution<int>(0, 3)(rng_);
    return q_->forward(state.unsqueeze(0)).argmax(1).item<int64_t>();  // EXPECT: missing-no-grad
  }

  float learn(const Tensor& s, const Tensor& a, const Tensor& target) {
    auto q = q_->forward(s).gather(1, a.unsqueeze(1)).squeeze(1);
    auto loss = torch::smooth_l1_loss(q, target);
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    return loss.item<float>();
  }

 private:
  QNet q_;
  torch::optim::Adam opt_;
  std::mt19937 rng_{7};
};

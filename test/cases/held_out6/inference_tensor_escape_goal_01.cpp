// DQN update: the bootstrap goal is computed under InferenceMode "because it is faster".
#include <torch/torch.h>

#include <tuple>

struct ValueNetImpl : torch::nn::Module {
  ValueNetImpl() {
    a = register_module("a", torch::nn::Linear(16, 64));
    b = register_module("b", torch::nn::Linear(64, 5));
  }
  torch::Tensor forward(torch::Tensor s) { return b(torch::relu(a(s))); }
  torch::nn::Linear a{nullptr}, b{nullptr};
};
TORCH_MODULE(ValueNet);

struct Minibatch {
  torch::Tensor s, a, r, s2, done;
};

class Learner {
 public:
  Learner() : opt_(online_->parameters(), 1e-4) { copy_weights(); }

  float step(const Minibatch& m) {
    const auto goal = bootstrap(m);
    auto q = online_->forward(m.s).gather(1, m.a).squeeze(1);
    auto loss = torch::mse_loss(q, goal);  // EXPECT: inference-tensor-escape
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    if (++steps_ % 500 == 0) copy_weights();
    return loss.item<float>();
  }

 private:
  torch::Tensor bootstrap(const Minibatch& m) {
    c10::InferenceMode fast;
    auto next = std::get<0>(target_->forward(m.s2).max(1));
    return m.r + 0.99 * next * (1 - m.done);  // ALSO: inference-tensor-escape
  }

  void copy_weights() {
    torch::NoGradGuard off;
    auto from = online_->parameters(), to = target_->parameters();
    for (size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i]);
  }

  ValueNet online_, target_;
  torch::optim::Adam opt_;
  int steps_ = 0;
};

int main() {
  Learner learner;
  for (int i = 0; i < 10000; ++i) {
    Minibatch m{torch::randn({32, 16}), torch::randint(0, 5, {32, 1}, torch::kLong), torch::randn(32),
                torch::randn({32, 16}), torch::zeros(32)};
    learner.step(m);
  }
}

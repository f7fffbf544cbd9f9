#include <torch/torch.h>
#include <iostream>

using torch::Tensor;

struct CriticImpl : torch::nn::Module {
  CriticImpl() : a(2, 64), b(64, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  Tensor forward(const Tensor& x) { return b(torch::softplus(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Critic);

class R1Regularizer {
 public:
  explicit R1Regularizer(double gamma) : gamma_(gamma) {}

  // Squared norm of the critic's gradient at the real samples.
  Tensor operator()(Critic& critic, const Tensor& real) const {
    auto x = real.detach().clone();
    x.requires_grad_(true);
    critic->forward(x).sum().backward({}, /*retain_graph=*/true, /*create_graph=*/true);
    return 0.5 * gamma_ * x.grad().square().sum(1).mean();
  }

 private:
  double gamma_;
};

int main() {
  Critic critic;
  R1Regularizer r1(10.0);
  torch::optim::Adam opt(critic->parameters(), 1e-4);
  for (int it = 0; it < 50000; ++it) {
    auto real = torch::randn({256, 2}) + 3.0;
    auto fake = torch::randn({256, 2});
    auto penalty = r1(critic, real);
    opt.zero_grad();
    auto loss = torch::softplus(critic(fake)).mean() + torch::softplus(-critic(real)).mean() + penalty;
    loss.backward();
    opt.step();
    if (it % 1000 == 0) std::cout << it << ' ' << loss.item<float>() << '\n';
  }
}

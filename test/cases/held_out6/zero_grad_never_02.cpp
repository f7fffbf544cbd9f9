// A physics-informed network; the solver class steps but never clears.
#include <torch/torch.h>

#include <iostream>
#include <memory>

struct Field : torch::nn::Module {
  Field() {
    a = register_module("a", torch::nn::Linear(2, 40));
    b = register_module("b", torch::nn::Linear(40, 40));
    c = register_module("c", torch::nn::Linear(40, 1));
  }
  torch::Tensor forward(torch::Tensor xt) { return c(torch::tanh(b(torch::tanh(a(xt))))); }
  torch::nn::Linear a{nullptr}, b{nullptr}, c{nullptr};
};

class HeatSolver {
 public:
  explicit HeatSolver(std::shared_ptr<Field> f) : field_(std::move(f)), opt_(field_->parameters(), 1e-3) {}

  double iterate() {
    auto loss = residual() + 10 * boundary();
    loss.backward();  // ALSO: zero-grad
    opt_.step();  // EXPECT: zero-grad
    return loss.item<double>();
  }

 private:
  torch::Tensor residual() {
    auto xt = torch::rand({512, 2}).requires_grad_(true);
    auto u = field_->forward(xt);
    auto first = torch::autograd::grad({u.sum()}, {xt}, {}, true, true)[0];
    auto ux = first.select(1, 0), ut = first.select(1, 1);
    auto uxx = torch::autograd::grad({ux.sum()}, {xt}, {}, true, true)[0].select(1, 0);
    return (ut - 0.1 * uxx).pow(2).mean();
  }

  torch::Tensor boundary() {
    auto x = torch::rand({128, 1});
    auto start = torch::cat({x, torch::zeros_like(x)}, 1);
    auto left = torch::cat({torch::zeros_like(x), x}, 1);
    return torch::mse_loss(field_->forward(start), torch::sin(3.14159 * x)) + field_->forward(left).pow(2).mean();
  }

  std::shared_ptr<Field> field_;
  torch::optim::Adam opt_;
};

int main() {
  auto field = std::make_shared<Field>();
  HeatSolver solver(field);
  for (int i = 0; i < 20000; ++i) {
    const double loss = solver.iterate();
    if (i % 1000 == 0) std::cout << i << " " << loss << "\n";
  }
}

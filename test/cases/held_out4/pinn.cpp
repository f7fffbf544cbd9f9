#include <torch/torch.h>
#include <iostream>

struct PinnImpl : torch::nn::Module {
  explicit PinnImpl(int64_t width) {
    for (int i = 0; i < 4; ++i) {
      auto l = torch::nn::Linear(i == 0 ? 2 : width, i == 3 ? 1 : width);
      torch::nn::init::xavier_normal_(l->weight);
      layers->push_back(l);
    }
    register_module("layers", layers);
  }
  torch::Tensor forward(torch::Tensor x, torch::Tensor t) {
    auto h = torch::cat({x, t}, 1);
    for (size_t i = 0; i < layers->size(); ++i) {
      h = layers->ptr<torch::nn::LinearImpl>(i)->forward(h);
      if (i + 1 < layers->size()) h = torch::tanh(h);
    }
    return h;
  }
  torch::nn::ModuleList layers;
};
TORCH_MODULE(Pinn);

static torch::Tensor d(const torch::Tensor& y, const torch::Tensor& x) {
  return torch::autograd::grad({y}, {x}, {torch::ones_like(y)}, /*retain_graph=*/true, /*create_graph=*/true)[0];
}

static torch::Tensor residual(Pinn& u, const torch::Tensor& x, const torch::Tensor& t) {
  auto v = u->forward(x, t);
  auto v_x = d(v, x);
  return d(v, t) + v * v_x - 0.01 / M_PI * d(v_x, x);
}

// Energy and forces of a toy potential: the forces need gradients of the inputs at inference too.
static std::pair<double, torch::Tensor> forces(Pinn& u, torch::Tensor positions) {
  auto x = positions.detach().clone().requires_grad_(true);
  auto e = u->forward(x, torch::zeros_like(x)).sum();
  return {e.item<double>(), -torch::autograd::grad({e}, {x})[0]};
}

int main() {
  Pinn u(32);
  torch::optim::Adam adam(u->parameters(), torch::optim::AdamOptions(1e-3));
  torch::nn::MSELoss mse;
  auto loss_fn = [&](int64_t n) {
    auto x = (torch::rand({n, 1}) * 2 - 1).requires_grad_(true);
    auto t = torch::rand({n, 1}).requires_grad_(true);
    auto f = residual(u, x, t);
    auto x0 = torch::rand({n, 1}) * 2 - 1;
    auto u0 = u->forward(x0, torch::zeros_like(x0));
    return mse(f, torch::zeros_like(f)) + mse(u0, -torch::sin(M_PI * x0));
  };
  for (int it = 0; it < 5000; ++it) {
    adam.zero_grad();
    auto loss = loss_fn(1000);
    loss.backward();
    adam.step();
    if (it % 500 == 0) std::cout << "adam " << it << " " << loss.item<double>() << "\n";
  }
  torch::optim::LBFGS lbfgs(u->parameters(), torch::optim::LBFGSOptions(1.0).max_iter(500).line_search_fn("strong_wolfe"));
  lbfgs.step([&] {
    lbfgs.zero_grad();
    auto loss = loss_fn(2000);
    loss.backward();
    return loss;
  });
  u->eval();
  for (int i = 0; i < 5; ++i) {
    auto [e, f] = forces(u, torch::rand({3, 1}));
    std::cout << e << " " << f.abs().max().item<double>() << "\n";
  }
}

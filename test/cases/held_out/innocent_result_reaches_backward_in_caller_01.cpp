#include <torch/torch.h>
#include <functional>
#include <vector>

using torch::Tensor;

struct Net : torch::nn::Module {
  torch::nn::Linear a{nullptr};
  torch::nn::BatchNorm1d bn{nullptr};
  Net() {
    a = register_module("a", torch::nn::Linear(6, 6));
    bn = register_module("bn", torch::nn::BatchNorm1d(6));
  }
  Tensor forward(Tensor x) { return bn(a(x)); }
};

struct Outputs {
  std::vector<Tensor> per_view;
  Tensor last;
};

static void render(Net& net, const std::vector<Tensor>& views, Outputs& out) {
  net.bn->eval();  // frozen statistics while fine-tuning
  for (const auto& v : views) out.per_view.push_back(net.forward(v));
  out.last = out.per_view.back();
}

static Tensor score(Net& net, const Tensor& x) {
  net.eval();
  return net.forward(x).mean();
}

void fine_tune(Net& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& views, int steps) {
  const std::function<Tensor(const Tensor&)> objective = [&net](const Tensor& x) { return score(net, x); };
  for (int i = 0; i < steps; ++i) {
    Outputs out;
    render(net, views, out);
    auto loss = torch::cat(out.per_view).square().mean() + out.last.mean() - objective(views[0]);
    opt.zero_grad();
    loss.backward();
    opt.step();
  }
}

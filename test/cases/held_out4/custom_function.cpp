#include <torch/torch.h>
#include <iostream>

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct StraightThrough : torch::autograd::Function<StraightThrough> {
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor x, double bound) {
    ctx->save_for_backward({x});
    ctx->saved_data["bound"] = bound;
    return x.sign();
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    auto x = ctx->get_saved_variables()[0];
    auto bound = ctx->saved_data["bound"].toDouble();
    return {grad[0] * (x.abs() <= bound).to(grad[0].dtype()), torch::Tensor()};
  }
};

struct GradReverse : torch::autograd::Function<GradReverse> {
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor x, double lambda) {
    ctx->saved_data["lambda"] = lambda;
    return x.view_as(x);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grad) {
    return {-ctx->saved_data["lambda"].toDouble() * grad[0], torch::Tensor()};
  }
};

struct DannImpl : torch::nn::Module {
  DannImpl() {
    feat = register_module("feat", torch::nn::Linear(20, 64));
    cls = register_module("cls", torch::nn::Linear(64, 3));
    dom = register_module("dom", torch::nn::Linear(64, 2));
  }
  torch::Tensor features(torch::Tensor x) { return StraightThrough::apply(feat(x), 1.0); }
  torch::Tensor classes(torch::Tensor f) { return cls(f); }
  torch::Tensor domain(torch::Tensor f, double lambda) { return dom(GradReverse::apply(f, lambda)); }
  torch::nn::Linear feat{nullptr}, cls{nullptr}, dom{nullptr};
};
TORCH_MODULE(Dann);

int main() {
  namespace F = torch::nn::functional;
  Dann net;
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(1e-2).momentum(0.9));
  const int total = 5000;
  for (int it = 0; it < total; ++it) {
    auto lambda = 2.0 / (1.0 + std::exp(-10.0 * it / total)) - 1.0;
    auto xs = torch::randn({64, 20}), xt = torch::randn({64, 20}) + 0.5;
    auto ys = torch::randint(3, {64}, torch::kLong);
    net->zero_grad();
    auto fs = net->features(xs);
    F::cross_entropy(net->classes(fs), ys).backward({}, /*keep_graph=*/true);
    auto src = F::cross_entropy(net->domain(fs, lambda), torch::zeros({64}, torch::kLong));
    auto ft = net->features(xt);
    auto tgt = F::cross_entropy(net->domain(ft, lambda), torch::ones({64}, torch::kLong));
    (src + tgt).backward();
    opt.step();
    if (it % 100 == 0) std::cout << it << " " << src.item<float>() + tgt.item<float>() << "\n";
  }
}

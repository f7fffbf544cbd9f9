#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

// y = alpha * sigmoid(x / alpha), clipped gradient.
struct BoundedSigmoid : torch::autograd::Function<BoundedSigmoid> {
  static Variable forward(AutogradContext* ctx, const Variable& x, double alpha, double limit) {
    auto y = alpha * torch::sigmoid(x / alpha);
    ctx->saved_data["alpha"] = alpha;
    ctx->saved_data["limit"] = limit;
    ctx->saved_data["sizes"] = x.sizes().vec();
    ctx->save_for_backward({y});
    return y;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const double alpha = ctx->saved_data["alpha"].toDouble();
    const double limit = ctx->saved_data["limit"].toDouble();
    auto y = ctx->get_saved_variables()[0] / alpha;
    auto g = (grads[0] * y * (1 - y)).clamp(-limit, limit);
    return {g.view(ctx->saved_data["sizes"].toIntVector()), Variable(), Variable()};
  }
};

// Straight-through rounding: the mask of clipped inputs is a constant.
struct RoundThrough : torch::autograd::Function<RoundThrough> {
  static Variable forward(AutogradContext* ctx, const Variable& x) {
    ctx->saved_data["inside"] = x.abs().le(1.0);
    return x.clamp(-1, 1).mul(127).round().div(127);
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->saved_data["inside"].toTensor()};
  }
};

int main() {
  torch::nn::Linear in(32, 64), out(64, 1);
  auto params = in->parameters();
  for (auto& p : out->parameters()) params.push_back(p);
  torch::optim::SGD opt(params, 0.05);
  for (int i = 0; i < 2000; ++i) {
    auto x = torch::randn({64, 32});
    auto h = BoundedSigmoid::apply(in(x), 2.0, 0.1);
    auto loss = torch::mse_loss(out(RoundThrough::apply(h)), x.sum(1, true));
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (i % 200 == 0) std::cout << i << ' ' << loss.item<float>() << '\n';
  }
}

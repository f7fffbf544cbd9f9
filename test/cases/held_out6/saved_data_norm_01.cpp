// A hand-written normalisation whose backward needs what its forward returned.
#include <torch/torch.h>

#include <iostream>
#include <vector>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

class UnitRows : public torch::autograd::Function<UnitRows> {
 public:
  static tensor_list forward(AutogradContext* ctx, const Tensor& x, double eps) {
    Tensor length = x.norm(2, {1}, true).clamp_min(eps);
    Tensor unit = x / length;
    ctx->saved_data["eps"] = eps;
    ctx->saved_data["length"] = length;  // EXPECT: saved-data
    ctx->save_for_backward({unit});
    return {unit, length};
  }

  static tensor_list backward(AutogradContext* ctx, tensor_list grads) {
    const auto unit = ctx->get_saved_variables()[0];
    const auto length = ctx->saved_data["length"].toTensor();
    auto g = grads[0];
    auto gx = (g - unit * (g * unit).sum(1, true)) / length;
    if (grads.size() > 1 && grads[1].defined()) gx = gx + grads[1] * unit;
    return {gx, Tensor()};
  }
};

struct MatcherImpl : torch::nn::Module {
  MatcherImpl() { proj = register_module("proj", torch::nn::Linear(32, 16)); }
  Tensor forward(Tensor a, Tensor b) {
    auto ua = UnitRows::apply(proj(a), 1e-6)[0], ub = UnitRows::apply(proj(b), 1e-6)[0];
    return torch::matmul(ua, ub.t()) / 0.07;
  }
  torch::nn::Linear proj{nullptr};
};
TORCH_MODULE(Matcher);

int main() {
  Matcher m;
  torch::optim::Adam opt(m->parameters(), 1e-3);
  const auto diagonal = torch::arange(64, torch::kLong);
  for (int i = 0; i < 2000; ++i) {
    auto a = torch::randn({64, 32});
    auto loss = torch::nn::functional::cross_entropy(m->forward(a, a + 0.1 * torch::randn_like(a)), diagonal);
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (i % 200 == 0) std::cout << loss.item<float>() << "\n";
  }
}

#include <torch/torch.h>
#include <vector>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Straight-through rounding and a clipped gradient, as autograd functions.
struct RoundThrough : torch::autograd::Function<RoundThrough> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double levels) {
    ctx->saved_data["levels"] = levels;
    ctx->save_for_backward({x});
    return torch::round(x * levels) / levels;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grads) {
    const auto x = ctx->get_saved_variables()[0];
    std::vector<Tensor> out;
    for (const auto& g : grads) out.push_back(g * (x.abs() <= 1).to(g.scalar_type()));
    out.push_back(Tensor());
    return out;
  }
};

class QuantNet : public torch::nn::Module {
 public:
  QuantNet() {
    for (int i = 0; i < 3; ++i) {
      weights_.push_back(register_parameter("w" + std::to_string(i), torch::randn({16, 16}) * 0.1));
      scales_.push_back(register_buffer("s" + std::to_string(i), torch::ones({})));
    }
  }
  Tensor forward(Tensor x) {
    for (size_t i = 0; i < weights_.size(); ++i) x = torch::relu(x.mm(RoundThrough::apply(weights_[i], 16.0)) * scales_[i]);
    return x;
  }

 private:
  std::vector<Tensor> weights_, scales_;
};

void train(QuantNet& net, torch::optim::Optimizer& opt, const std::vector<Tensor>& xs) {
  for (const auto& x : xs) {
    opt.zero_grad();
    torch::mse_loss(net.forward(x), x).backward();
    opt.step();
  }
}

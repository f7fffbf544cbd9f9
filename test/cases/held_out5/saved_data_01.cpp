#include <torch/torch.h>
#include <iostream>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;

// Mish with a hand-written backward.
class MishFunction : public Function<MishFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    auto t = torch::tanh(torch::softplus(x));
    ctx->save_for_backward({x, t});
    return x * t;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grads) {
    auto saved = ctx->get_saved_variables();
    auto x = saved[0], t = saved[1];
    return {grads[0] * (t + x * torch::sigmoid(x) * (1 - t.square()))};
  }
};

// Row-wise softmax with a temperature.
class TemperedSoftmax : public Function<TemperedSoftmax> {
 public:
  static Tensor forward(AutogradContext* ctx, Tensor logits, double temperature) {
    ctx->saved_data["temperature"] = temperature;
    auto shifted = logits / temperature;
    shifted = shifted - std::get<0>(shifted.max(1, true));
    auto e = shifted.exp();
    auto y = e / e.sum(1, true);
    ctx->saved_data["tensors"] = std::vector<Tensor>{logits, y};
    return y;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grads) {
    const double temperature = ctx->saved_data["temperature"].toDouble();
    auto y = ctx->saved_data["tensors"].toTensorVector()[1];
    auto inner = (grads[0] * y).sum(1, true);
    return {(grads[0] - inner) * y / temperature, Tensor()};
  }
};

int main() {
  auto w = torch::randn({64, 10}, torch::requires_grad());
  torch::optim::SGD opt({w}, 0.1);
  for (int i = 0; i < 1000; ++i) {
    auto x = torch::randn({128, 64});
    auto p = TemperedSoftmax::apply(MishFunction::apply(x.matmul(w)), 0.7);
    auto loss = -p.select(1, 0).log().mean();
    opt.zero_grad();
    loss.backward();
    opt.step();
    if (i % 100 == 0) std::cout << loss.item<float>() << '\n';
  }
}

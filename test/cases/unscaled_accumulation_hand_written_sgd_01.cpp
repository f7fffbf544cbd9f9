#include <torch/torch.h>

int main() {
  const auto x = torch::randn({512, 20});
  const auto truth = torch::randn({20, 1});
  const auto y = x.mm(truth) + 0.01 * torch::randn({512, 1});

  auto w = torch::zeros({20, 1}, torch::requires_grad());
  const double rate = 0.05;
  const int every = 8;

  for (int epoch = 0; epoch < 10; ++epoch) {
    for (int i = 0; i < 64; ++i) {
      const auto rows = torch::arange(i * 8, i * 8 + 8);
      auto loss = torch::mse_loss(x.index_select(0, rows).mm(w), y.index_select(0, rows));
      loss.backward();  // EXPECT: unscaled-accumulation
      if (i % every == every - 1) {
        torch::NoGradGuard no_grad;
        w -= rate * w.grad();
        w.grad().zero_();
      }
    }
  }
  std::printf("%f\n", (w - truth).norm().item<float>());
}

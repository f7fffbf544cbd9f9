// Curve fitting with LBFGS: the closure clears, evaluates and differentiates; step() calls it many times.
#include <torch/torch.h>

#include <cstdio>
#include <vector>

using torch::Tensor;

struct DampedWave : torch::nn::Module {
  DampedWave() {
    amp = register_parameter("amp", torch::tensor(1.0));
    freq = register_parameter("freq", torch::tensor(2.0));
    decay = register_parameter("decay", torch::tensor(0.1));
  }
  Tensor forward(const Tensor& t) { return amp * torch::exp(-decay * t) * torch::cos(freq * t); }
  Tensor amp, freq, decay;
};

struct FitResult {
  double loss = 0;
  int evaluations = 0;
  std::vector<double> trace;
};

FitResult fit_wave(DampedWave& wave, const Tensor& t, const Tensor& y) {
  torch::optim::LBFGS opt(wave.parameters(),
                          torch::optim::LBFGSOptions(1.0).max_iter(20).line_search_fn("strong_wolfe"));
  FitResult result;
  auto closure = [&]() -> Tensor {
    opt.zero_grad();
    auto loss = torch::mse_loss(wave.forward(t), y);
    loss.backward();
    ++result.evaluations;
    return loss;
  };
  double previous = 1e30;
  for (int round = 0; round < 50; ++round) {
    const auto loss = opt.step(closure);
    result.loss = loss.item<double>();
    result.trace.push_back(result.loss);
    if (previous - result.loss < 1e-12) break;
    previous = result.loss;
  }
  return result;
}

int main() {
  torch::manual_seed(1);
  const auto t = torch::linspace(0, 10, 400);
  const auto y = 1.7 * torch::exp(-0.3 * t) * torch::cos(2.4 * t) + 0.02 * torch::randn_like(t);
  DampedWave wave;
  const auto r = fit_wave(wave, t, y);
  std::printf("loss %.3g after %d evaluations\n", r.loss, r.evaluations);
}

#include <torch/torch.h>
#include <iostream>

struct Autoencoder : torch::nn::Module {
  torch::nn::Linear down{nullptr}, up{nullptr};
  Autoencoder() {
    down = register_module("down", torch::nn::Linear(100, 10));
    up = register_module("up", torch::nn::Linear(10, 100));
  }
  torch::Tensor forward(torch::Tensor x) { return up(torch::relu(down(x))); }
};

// Flags samples whose reconstruction error is above the threshold.
int64_t count_anomalies(Autoencoder& ae, const torch::Tensor& samples, double threshold) {
  torch::NoGradGuard no_grad();
  ae.eval();
  int64_t anomalies = 0;
  for (const auto& chunk : samples.split(256)) {
    const auto rebuilt = ae.forward(chunk);  // EXPECT: missing-no-grad
    const auto error = (rebuilt - chunk).square().mean(1);
    anomalies += (error > threshold).sum().item<int64_t>();
  }
  return anomalies;
}

int main() {
  Autoencoder ae;
  std::cout << count_anomalies(ae, torch::rand({10000, 100}), 0.1) << '\n';
}

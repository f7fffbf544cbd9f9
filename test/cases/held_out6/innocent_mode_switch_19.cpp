// Checkpoints and evaluation under a home-made scope that puts the old mode back, also on an early return.
#include <torch/torch.h>

#include <iostream>
#include <memory>
#include <string>
#include <vector>

class Recording {
 public:
  explicit Recording(bool on) : before_(torch::GradMode::is_enabled()) { torch::GradMode::set_enabled(on); }
  ~Recording() { torch::GradMode::set_enabled(before_); }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

 private:
  bool before_;
};

struct UnetImpl : torch::nn::Module {
  UnetImpl() {
    d = register_module("d", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3).stride(2).padding(1)));
    u = register_module("u", torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(16, 1, 4).stride(2).padding(1)));
  }
  torch::Tensor forward(torch::Tensor x) { return u(torch::relu(d(x))); }
  torch::nn::Conv2d d{nullptr};
  torch::nn::ConvTranspose2d u{nullptr};
};
TORCH_MODULE(Unet);

struct Scan {
  torch::Tensor image, truth;
};

float dice(Unet& net, const std::vector<Scan>& scans) {
  Recording off(false);
  if (scans.empty()) return 0.f;
  net->eval();
  torch::Tensor sum = torch::zeros({});
  for (const auto& s : scans) {
    auto guess = torch::sigmoid(net->forward(s.image));
    sum += 2 * (guess * s.truth).sum() / (guess.sum() + s.truth.sum() + 1e-6);
  }
  net->train();
  return (sum / static_cast<double>(scans.size())).item<float>();
}

int main() {
  auto make = [](int n) {
    std::vector<Scan> v;
    for (int i = 0; i < n; ++i) v.push_back({torch::rand({2, 1, 64, 64}), torch::rand({2, 1, 64, 64}).round()});
    return v;
  };
  const auto train = make(60), held = make(10);
  Unet net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  float best = 0;
  for (int epoch = 0; epoch < 30; ++epoch) {
    for (const auto& s : train) {
      opt.zero_grad();
      auto loss = torch::binary_cross_entropy_with_logits(net->forward(s.image), s.truth);
      loss.backward();
      opt.step();
    }
    const float score = dice(net, held);
    if (score > best) {
      best = score;
      torch::save(net, "best.pt");
      torch::save(opt, "best-opt.pt");
    }
    std::cout << epoch << " " << score << " best " << best << "\n";
  }
}

// Iterated FGSM: only the picture's gradient is wanted, but every weight collects one too.
#include <torch/torch.h>

#include <iostream>

struct VictimImpl : torch::nn::Module {
  VictimImpl() {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3).stride(2)));
    fc = register_module("fc", torch::nn::Linear(16 * 13 * 13, 10));
  }
  torch::Tensor forward(torch::Tensor x) { return fc(torch::relu(conv(x)).flatten(1)); }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Victim);

torch::Tensor attack(Victim& victim, const torch::Tensor& image, const torch::Tensor& label, int rounds, double eps) {
  victim->eval();
  auto adversarial = image.clone();
  for (int i = 0; i < rounds; ++i) {
    auto x = adversarial.detach().requires_grad_(true);
    auto loss = torch::cross_entropy_loss(victim->forward(x), label);
    loss.backward();  // OPTIONAL: unowned-gradients
    torch::NoGradGuard off;
    adversarial = torch::clamp(x + eps / rounds * x.grad().sign(), 0, 1);
  }
  return adversarial;
}

int main() {
  Victim victim;
  torch::load(victim, "victim.pt");
  int fooled = 0;
  for (int i = 0; i < 500; ++i) {
    auto image = torch::rand({1, 1, 28, 28});
    auto label = torch::randint(0, 10, {1}, torch::kLong);
    auto bad = attack(victim, image, label, 10, 0.1);
    torch::NoGradGuard off;
    fooled += victim->forward(bad).argmax(1).ne(label).item<bool>() ? 1 : 0;
  }
  std::cout << fooled << " of 500\n";
}

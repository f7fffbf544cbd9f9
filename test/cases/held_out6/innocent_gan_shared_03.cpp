// The critic's loss runs back into the fake without detach: the generator's graph is needed a second time.
#include <torch/torch.h>

#include <iostream>

struct GenImpl : torch::nn::Module {
  GenImpl() {
    a = register_module("a", torch::nn::Linear(16, 64));
    b = register_module("b", torch::nn::Linear(64, 28 * 28));
  }
  torch::Tensor forward(torch::Tensor z) { return torch::tanh(b(torch::relu(a(z)))); }
  torch::nn::Linear a{nullptr}, b{nullptr};
};
TORCH_MODULE(Gen);

struct DiscImpl : torch::nn::Module {
  DiscImpl() {
    a = register_module("a", torch::nn::Linear(28 * 28, 64));
    b = register_module("b", torch::nn::Linear(64, 1));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::sigmoid(b(torch::leaky_relu(a(x), 0.2))); }
  torch::nn::Linear a{nullptr}, b{nullptr};
};
TORCH_MODULE(Disc);

struct Losses {
  double g = 0, d = 0;
};

Losses adversarial_step(Gen& gen, Disc& disc, torch::optim::Adam& og, torch::optim::Adam& od,
                        const torch::Tensor& real) {
  const auto n = real.size(0);
  auto fake = gen->forward(torch::randn({n, 16}));

  od.zero_grad();
  auto d_loss = torch::binary_cross_entropy(disc->forward(real), torch::full({n, 1}, 0.9)) +
                torch::binary_cross_entropy(disc->forward(fake), torch::zeros({n, 1}));
  d_loss.backward({}, /*retain_graph=*/true);
  od.step();

  og.zero_grad();
  auto g_loss = torch::binary_cross_entropy(disc->forward(fake), torch::ones({n, 1}));
  g_loss.backward();
  og.step();
  return {g_loss.item<double>(), d_loss.item<double>()};
}

int main() {
  Gen gen;
  Disc disc;
  torch::optim::Adam og(gen->parameters(), 2e-4), od(disc->parameters(), 2e-4);
  Losses mean;
  for (int i = 1; i <= 5000; ++i) {
    const auto l = adversarial_step(gen, disc, og, od, torch::rand({32, 28 * 28}) * 2 - 1);
    mean.g += (l.g - mean.g) / i;
    mean.d += (l.d - mean.d) / i;
  }
  std::cout << mean.g << " " << mean.d << "\n";
}

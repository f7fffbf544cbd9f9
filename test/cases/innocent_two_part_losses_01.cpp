#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Discriminator : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Discriminator() { f = register_module("f", torch::nn::Linear(16, 1)); }
  Tensor forward(Tensor x) { return f(x); }
};
struct Generator : torch::nn::Module {
  torch::nn::Linear f{nullptr};
  Generator() { f = register_module("f", torch::nn::Linear(4, 16)); }
  Tensor forward(Tensor z) { return f(z); }
};

static double discriminate(Discriminator& d, const Tensor& x, double label) {
  auto out = d.forward(x);
  auto loss = torch::binary_cross_entropy_with_logits(out, torch::full_like(out, label));
  loss.backward();
  return loss.item<double>();
}

void train(Discriminator& d, Generator& g, const std::vector<Tensor>& data) {
  torch::optim::Adam opt_d(d.parameters(), 2e-4), opt_g(g.parameters(), 2e-4);
  for (const auto& real : data) {
    opt_d.zero_grad();
    auto fake = g.forward(torch::randn({real.size(0), 4}));
    discriminate(d, real, 0.9);
    discriminate(d, fake.detach(), 0.0);
    opt_d.step();

    opt_g.zero_grad();
    auto out = d.forward(fake);
    torch::binary_cross_entropy_with_logits(out, torch::ones_like(out)).backward();
    opt_g.step();
  }
}

#include <torch/torch.h>
#include <fstream>
#include <map>
#include <string>
#include <vector>

using torch::Tensor;
namespace F = torch::nn::functional;

struct GeneratorImpl : torch::nn::Module {
  GeneratorImpl() : a(64, 128), b(128, 2) {
    register_module("a", a);
    register_module("b", b);
  }
  Tensor forward(Tensor z) { return b(torch::relu(a(z))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Generator);

struct CriticImpl : torch::nn::Module {
  CriticImpl() : a(2, 128), b(128, 1) {
    register_module("a", a);
    register_module("b", b);
  }
  Tensor forward(Tensor x) { return b(torch::leaky_relu(a(x), 0.2)); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Critic);

int main() {
  Generator gen;
  Critic disc;
  torch::optim::Adam opt_g(gen->parameters(), torch::optim::AdamOptions(2e-4).betas({0.5, 0.9}));
  torch::optim::Adam opt_d(disc->parameters(), torch::optim::AdamOptions(2e-4).betas({0.5, 0.9}));
  std::map<std::string, std::vector<Tensor>> history;

  for (int it = 0; it < 100000; ++it) {
    auto real = torch::randn({128, 2}) * 0.1 + 1.0;
    auto fake = gen(torch::randn({128, 64}));

    opt_d.zero_grad();
    auto d_loss = F::softplus(-disc(real)).mean() + F::softplus(disc(fake.detach())).mean();
    d_loss.backward();
    opt_d.step();

    opt_g.zero_grad();
    auto g_loss = F::softplus(-disc(fake)).mean();
    g_loss.backward();
    opt_g.step();

    history["d_loss"].push_back(d_loss);
    history["g_loss"].push_back(g_loss.detach());
  }
  std::ofstream csv("losses.csv");
  for (size_t i = 0; i < history["d_loss"].size(); ++i)
    csv << history["d_loss"][i].item<float>() << ',' << history["g_loss"][i].item<float>() << '\n';
}

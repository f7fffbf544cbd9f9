#include <torch/torch.h>
#include <iostream>
struct MLPImpl : torch::nn::Module {
  MLPImpl(int64_t i, int64_t o) : a(i, 64), b(64, o) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(torch::Tensor x) { return b(torch::relu(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(MLP);
int main() {
  MLP G(16, 2), D(2, 1);
  torch::optim::Adam og(G->parameters(), 1e-4), od(D->parameters(), 1e-4);
  torch::nn::BCEWithLogitsLoss bce;
  for (int i = 0; i < 10000; ++i) {
    auto real = torch::randn({64, 2}) + 3;
    auto fake = G(torch::randn({64, 16}));
    auto one = torch::ones({64, 1}), zero = torch::zeros({64, 1});
    // discriminator: the graph of fake is kept, the generator step below walks it again
    auto d_loss = bce(D(real), one) + bce(D(fake), zero);
    od.zero_grad();
    d_loss.backward({}, /*retain_graph=*/true);
    od.step();
    // generator
    auto g_loss = bce(D(fake), one);
    og.zero_grad();
    g_loss.backward();
    og.step();
    if (i % 500 == 0) std::cout << d_loss.item<float>() << " " << g_loss.item<float>() << "\n";
  }
}

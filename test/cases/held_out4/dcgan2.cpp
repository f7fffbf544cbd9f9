#include <torch/torch.h>
#include <cstdio>

struct GImpl : torch::nn::Module {
  explicit GImpl(int64_t z) {
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(z, 256), torch::nn::ReLU(),
                                                         torch::nn::Linear(256, 784), torch::nn::Tanh()));
  }
  torch::Tensor forward(const torch::Tensor& z) { return body->forward(z); }
  torch::nn::Sequential body{nullptr};
};
TORCH_MODULE(G);

struct DImpl : torch::nn::Module {
  DImpl() {
    fc1 = register_module("fc1", torch::nn::Linear(784, 256));
    fc2 = register_module("fc2", torch::nn::Linear(256, 1));
  }
  torch::Tensor forward(torch::Tensor x) {
    return torch::sigmoid(fc2(torch::leaky_relu(fc1(x.flatten(1)), 0.2)));
  }
  torch::nn::Linear fc1{nullptr}, fc2{nullptr};
};
TORCH_MODULE(D);

int main(int argc, char** argv) {
  const int64_t z_dim = 64;
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 30;
  G gen(z_dim);
  D disc;
  torch::optim::Adam optG(gen->parameters(), torch::optim::AdamOptions(2e-4));
  torch::optim::Adam optD(disc->parameters(), torch::optim::AdamOptions(2e-4));
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 128);
  torch::nn::BCELoss bce;
  for (int e = 0; e < epochs; ++e) {
    for (auto& batch : *loader) {
      auto b = batch.data.size(0);
      auto ones = torch::ones({b, 1}), zeros = torch::zeros({b, 1});

      optD.zero_grad();
      auto fake = gen->forward(torch::randn({b, z_dim}));
      auto d_loss = bce(disc->forward(batch.data), ones) + bce(disc->forward(fake.detach()), zeros);
      d_loss.backward({}, true);
      optD.step();

      optD.zero_grad();
      auto g_loss = bce(disc->forward(fake), ones);
      g_loss.backward();
      optG.step();
      std::printf("%d %.4f %.4f\n", e, d_loss.item<float>(), g_loss.item<float>());
    }
    torch::save(gen, "gen.pt");
  }
  return 0;
}

#include <torch/torch.h>
#include <iostream>

struct CriticImpl : torch::nn::Module {
  CriticImpl() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 32, 4).stride(2).padding(1)));
    c2 = register_module("c2", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 4).stride(2).padding(1)));
    fc = register_module("fc", torch::nn::Linear(64 * 7 * 7, 1));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::leaky_relu(c1(x), 0.2);
    x = torch::leaky_relu(c2(x), 0.2);
    return fc(x.flatten(1));
  }
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Critic);

struct GenImpl : torch::nn::Module {
  explicit GenImpl(int64_t z) {
    fc = register_module("fc", torch::nn::Linear(z, 64 * 7 * 7));
    t1 = register_module("t1", torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(64, 32, 4).stride(2).padding(1)));
    t2 = register_module("t2", torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(32, 1, 4).stride(2).padding(1)));
  }
  torch::Tensor forward(torch::Tensor z) {
    auto x = torch::relu(fc(z)).view({-1, 64, 7, 7});
    return torch::tanh(t2(torch::relu(t1(x))));
  }
  torch::nn::Linear fc{nullptr};
  torch::nn::ConvTranspose2d t1{nullptr}, t2{nullptr};
};
TORCH_MODULE(Gen);

// R1 regularisation: squared gradient norm of the critic at real images.
static torch::Tensor r1(Critic& critic, const torch::Tensor& real) {
  auto x = real.detach().clone().requires_grad_(true);
  auto score = critic->forward(x).sum();
  score.backward({}, /*retain_graph=*/true, /*create_graph=*/true);
  return x.grad().pow(2).flatten(1).sum(1).mean();
}

int main() {
  Critic critic;
  Gen gen(100);
  torch::optim::Adam c_opt(critic->parameters(), torch::optim::AdamOptions(1e-4).betas(std::make_tuple(0.0, 0.99)));
  torch::optim::Adam g_opt(gen->parameters(), torch::optim::AdamOptions(1e-4).betas(std::make_tuple(0.0, 0.99)));
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>()), 64);
  for (int epoch = 0; epoch < 30; ++epoch) {
    for (auto& batch : *loader) {
      auto real = batch.data;
      auto penalty = r1(critic, real);
      c_opt.zero_grad();
      auto fake = gen->forward(torch::randn({real.size(0), 100})).detach();
      auto loss = torch::softplus(-critic->forward(real)).mean() + torch::softplus(critic->forward(fake)).mean() +
                  5.0 * penalty;
      loss.backward();
      c_opt.step();

      g_opt.zero_grad();
      auto g_loss = torch::softplus(-critic->forward(gen->forward(torch::randn({real.size(0), 100})))).mean();
      g_loss.backward();
      g_opt.step();
    }
    std::cout << "epoch " << epoch << " done" << std::endl;
  }
}

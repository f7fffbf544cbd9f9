#include <torch/torch.h>
#include <iostream>

struct AutoencoderImpl : torch::nn::Module {
  AutoencoderImpl() {
    enc = register_module("enc", torch::nn::Linear(784, 32));
    dec = register_module("dec", torch::nn::Linear(32, 784));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::sigmoid(dec(torch::relu(enc(x)))); }
  torch::nn::Linear enc{nullptr}, dec{nullptr};
};
TORCH_MODULE(Autoencoder);

template <class Loader>
void train(Autoencoder& model, Loader& loader, torch::optim::Optimizer& opt, torch::Device device) {
  auto total = torch::zeros({}, device);  // stays on the device: no synchronisation per batch
  auto smooth = torch::zeros({}, device);
  size_t batches = 0;
  for (auto& batch : loader) {
    auto x = batch.data.to(device).flatten(1);
    opt.zero_grad();
    auto loss = torch::binary_cross_entropy(model(x), x);
    loss.backward();
    opt.step();
    total += loss.detach();
    smooth = 0.9 * smooth + 0.1 * loss.data();
    ++batches;
  }
  std::cout << total.template item<float>() / batches << ' ' << smooth.template item<float>() << '\n';
}

int main() {
  auto loader =
      torch::data::make_data_loader(torch::data::datasets::MNIST(".").map(torch::data::transforms::Stack<>()), 64);
  Autoencoder model;
  torch::optim::Adam opt(model->parameters());
  for (int epoch = 0; epoch < 5; ++epoch) train(model, *loader, opt, torch::kCPU);
}

#include <torch/torch.h>
#include <iostream>

#define EVAL_SCOPE(model) \
  (model)->eval();        \
  torch::NoGradGuard()

struct AutoEncoderImpl : torch::nn::Module {
  AutoEncoderImpl() : enc(784, 32), dec(32, 784) {
    register_module("enc", enc);
    register_module("dec", dec);
  }
  torch::Tensor forward(const torch::Tensor& x) { return torch::sigmoid(dec(torch::tanh(enc(x)))); }
  torch::nn::Linear enc, dec;
};
TORCH_MODULE(AutoEncoder);

double reconstruction_error(AutoEncoder& net, const torch::Tensor& images) {
  EVAL_SCOPE(net);
  double sum = 0;
  int64_t batches = 0;
  for (const auto& x : images.split(256)) {
    sum += torch::mse_loss(net->forward(x), x).item<double>();
    ++batches;
  }
  return sum / batches;
}

int main() {
  AutoEncoder net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  auto images = torch::rand({10000, 784});
  for (int epoch = 0; epoch < 30; ++epoch) {
    net->train();
    for (const auto& x : images.split(64)) {
      opt.zero_grad();
      torch::mse_loss(net->forward(x), x).backward();
      opt.step();
    }
    std::cout << epoch << ' ' << reconstruction_error(net, images) << '\n';
  }
}

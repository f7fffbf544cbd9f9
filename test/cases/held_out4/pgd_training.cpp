#include <torch/torch.h>
#include <iostream>

struct CnnImpl : torch::nn::Module {
  CnnImpl() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3)));
    c2 = register_module("c2", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 3)));
    fc = register_module("fc", torch::nn::Linear(32 * 5 * 5, 10));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::max_pool2d(torch::relu(c1(x)), 2);
    x = torch::max_pool2d(torch::relu(c2(x)), 2);
    return fc(x.flatten(1));
  }
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
  torch::nn::Linear fc{nullptr};
};
TORCH_MODULE(Cnn);

static torch::Tensor pgd(Cnn& model, const torch::Tensor& x, const torch::Tensor& y, double eps, double step, int iters) {
  auto delta = torch::empty_like(x).uniform_(-eps, eps).requires_grad_(true);
  for (int i = 0; i < iters; ++i) {
    auto loss = torch::nn::functional::cross_entropy(model->forward(x + delta), y);
    loss.backward();
    torch::NoGradGuard no_grad;
    delta.add_(delta.grad().sign(), step).clamp_(-eps, eps);
    delta.mutable_grad().zero_();
  }
  return (x + delta).clamp(0, 1).detach();
}

static torch::Tensor fgsm(Cnn& model, torch::Tensor x, const torch::Tensor& y, double eps) {
  x = x.clone().detach().requires_grad_(true);
  auto loss = torch::nn::functional::cross_entropy(model->forward(x), y);
  auto g = torch::autograd::grad({loss}, {x})[0];
  return (x + eps * g.sign()).clamp(0, 1).detach();
}

int main() {
  Cnn model;
  torch::optim::SGD opt(model->parameters(), torch::optim::SGDOptions(0.01).momentum(0.9));
  auto train = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      torch::data::datasets::MNIST("mnist").map(torch::data::transforms::Stack<>()), 128);
  auto test = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      torch::data::datasets::MNIST("mnist", torch::data::datasets::MNIST::Mode::kTest).map(torch::data::transforms::Stack<>()), 256);
  for (int epoch = 0; epoch < 10; ++epoch) {
    model->train();
    for (auto& b : *train) {
      auto adv = pgd(model, b.data, b.target, 0.3, 0.01, 7);
      opt.zero_grad();  // the attack has filled the gradients of the model
      torch::nn::functional::cross_entropy(model->forward(adv), b.target).backward();
      opt.step();
    }
    model->eval();
    int64_t ok = 0, n = 0;
    for (auto& b : *test) {
      auto adv = fgsm(model, b.data, b.target, 0.1);
      torch::NoGradGuard no_grad;
      ok += model->forward(adv).argmax(1).eq(b.target).sum().item<int64_t>();
      n += b.data.size(0);
    }
    std::cout << epoch << " robust " << double(ok) / n << std::endl;
  }
}

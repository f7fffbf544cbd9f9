#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::autograd::GradMode;

struct Batch {
  torch::Tensor x, y;
};

struct MlpImpl : torch::nn::Module {
  MlpImpl() : a(20, 80), b(80, 3) {
    register_module("a", a);
    register_module("b", b);
  }
  torch::Tensor forward(const torch::Tensor& x) { return b(torch::relu(a(x))); }
  torch::nn::Linear a, b;
};
TORCH_MODULE(Mlp);

// Mean validation loss; stops at the first batch that is not finite.
double validate(Mlp& model, const std::vector<Batch>& batches) {
  GradMode::set_enabled(false);
  model->eval();
  double sum = 0;
  for (const auto& b : batches) {
    const double loss = torch::cross_entropy_loss(model(b.x), b.y).item<double>();
    if (!std::isfinite(loss)) {
      std::cerr << "validation diverged\n";
      model->train();
      return loss;
    }
    sum += loss;
  }
  model->train();
  GradMode::set_enabled(true);
  return sum / batches.size();
}

int main() {
  std::vector<Batch> train, val;
  for (int i = 0; i < 100; ++i) train.push_back({torch::randn({32, 20}), torch::randint(3, {32}, torch::kLong)});
  for (int i = 0; i < 10; ++i) val.push_back({torch::randn({32, 20}), torch::randint(3, {32}, torch::kLong)});
  Mlp model;
  torch::optim::SGD opt(model->parameters(), 0.1);
  for (int epoch = 0; epoch < 20; ++epoch) {
    for (const auto& b : train) {
      opt.zero_grad();
      torch::cross_entropy_loss(model(b.x), b.y).backward();
      opt.step();
    }
    const double v = validate(model, val);
    if (!std::isfinite(v)) {
      for (auto& g : opt.param_groups()) static_cast<torch::optim::SGDOptions&>(g.options()).lr(0.01);
    }
    std::cout << epoch << ' ' << v << '\n';
  }
}

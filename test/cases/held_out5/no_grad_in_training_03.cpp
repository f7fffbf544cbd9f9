#include <torch/torch.h>
#include <iostream>
#include <memory>

// Measures the error on a held-out set. Needs no gradients, so it brings its own guard.
class Evaluator {
 public:
  Evaluator(torch::Tensor x, torch::Tensor y) : x_(std::move(x)), y_(std::move(y)) {}
  template <typename Model>
  double error(Model& model) {
    model->eval();
    auto wrong = model->forward(x_).argmax(1).ne(y_).to(torch::kFloat64).mean();
    model->train();
    return wrong.template item<double>();
  }

 private:
  torch::NoGradGuard no_grad_;
  torch::Tensor x_, y_;
};

int main() {
  auto x = torch::randn({2000, 50});
  auto y = x.sum(1).gt(0).to(torch::kLong);
  torch::nn::Sequential model(torch::nn::Linear(50, 100), torch::nn::ReLU(), torch::nn::Dropout(0.5),
                              torch::nn::Linear(100, 2));
  torch::optim::Adagrad opt(model->parameters(), torch::optim::AdagradOptions(0.01));

  Evaluator evaluator(x.narrow(0, 1600, 400), y.narrow(0, 1600, 400));
  double best = 1.0;
  for (int epoch = 0; epoch < 50; ++epoch) {
    for (int64_t i = 0; i < 1600; i += 100) {
      opt.zero_grad();
      auto loss = torch::cross_entropy_loss(model->forward(x.narrow(0, i, 100)), y.narrow(0, i, 100));
      loss.backward();
      opt.step();
    }
    const double e = evaluator.error(model);
    if (e < best) {
      best = e;
      torch::save(model, "best.pt");
    }
    std::cout << "epoch " << epoch << " error " << e << '\n';
  }
}

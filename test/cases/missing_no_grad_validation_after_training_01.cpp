#include <torch/torch.h>
#include <iostream>
#include <vector>

using torch::Tensor;
struct Fold {
  std::vector<Tensor> train_x, train_y, val_x, val_y;
};

auto build(int64_t in) {
  return torch::nn::Sequential(torch::nn::Linear(in, 50), torch::nn::ReLU(), torch::nn::Dropout(0.2), torch::nn::Linear(50, 1));
}

double cross_validate(const std::vector<Fold>& folds, int64_t in) {
  double total = 0;
  for (const Fold& fold : folds) {
    auto net = build(in);
    torch::optim::Adam adam(net->parameters());
    for (int epoch = 0; epoch < 20; ++epoch) {
      net->train();
      for (size_t i = 0; i < fold.train_x.size(); ++i) {
        adam.zero_grad();
        auto loss = torch::mse_loss(net->forward(fold.train_x[i]), fold.train_y[i]);
        loss.backward();
        adam.step();
      }
    }
    net->eval();
    double error = 0;
    for (size_t i = 0; i < fold.val_x.size(); ++i) {
      auto y = net->forward(fold.val_x[i]);  // EXPECT: missing-no-grad
      error += torch::mse_loss(y, fold.val_y[i]).item<double>();
    }
    total += error / fold.val_x.size();
  }
  return total / folds.size();
}

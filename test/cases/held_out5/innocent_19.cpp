#include <torch/torch.h>
#include <iostream>
#include <vector>

struct Batch {
  torch::Tensor data, target;
};

// The kind of guard is up to the caller.
template <typename Guard, typename Model, typename Loader>
double evaluate(Model& model, const Loader& loader) {
  Guard guard;
  model->eval();
  double sum = 0;
  size_t n = 0;
  for (const auto& batch : loader) {
    auto out = model->forward(batch.data);
    sum += torch::l1_loss(out, batch.target).template item<double>();
    ++n;
  }
  model->train();
  return sum / n;
}

template <typename Model, typename Loader>
void train(Model& model, const Loader& loader, torch::optim::Optimizer& opt) {
  for (const auto& batch : loader) {
    opt.zero_grad();
    auto loss = torch::l1_loss(model->forward(batch.data), batch.target);
    loss.backward();
    opt.step();
  }
}

int main() {
  torch::nn::Sequential model(torch::nn::Linear(12, 24), torch::nn::Softplus(), torch::nn::Dropout(0.1),
                              torch::nn::Linear(24, 1));
  std::vector<Batch> train_set, val_set, test_set;
  for (int i = 0; i < 120; ++i) {
    auto x = torch::rand({16, 12});
    auto& set = i < 100 ? train_set : i < 110 ? val_set : test_set;
    set.push_back({x, x.prod(1, true)});
  }
  torch::optim::Adam opt(model->parameters(), 1e-3);
  for (int epoch = 0; epoch < 25; ++epoch) {
    train(model, train_set, opt);
    std::cout << epoch << ' ' << evaluate<torch::NoGradGuard>(model, val_set) << '\n';
  }
  std::cout << "test " << evaluate<c10::InferenceMode>(model, test_set) << '\n';
}

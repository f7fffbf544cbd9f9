#include <torch/torch.h>
#include <cstdio>
#include <utility>

struct ConvNetImpl : torch::nn::Module {
  ConvNetImpl() {
    features = register_module("features", torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 5).stride(2)), torch::nn::ReLU()));
    classifier = register_module("classifier", torch::nn::Linear(16 * 12 * 12, 10));
  }
  torch::Tensor forward(torch::Tensor x) { return classifier(features->forward(x).flatten(1)); }
  torch::nn::Sequential features{nullptr};
  torch::nn::Linear classifier{nullptr};
};
TORCH_MODULE(ConvNet);

template <class DataLoader>
std::pair<double, double> evaluate(ConvNet model, DataLoader& loader) {
  model->eval();
  double loss = 0, correct = 0;
  int64_t total = 0;
  for (const auto& batch : loader) {
    auto logits = model(batch.data);  // EXPECT: missing-no-grad
    loss += torch::nll_loss(torch::log_softmax(logits, 1), batch.target, {}, torch::Reduction::Sum).template item<double>();
    correct += logits.argmax(1).eq(batch.target).sum().template item<int64_t>();
    total += batch.target.size(0);
  }
  model->train();
  return {loss / total, correct / total};
}

int main() {
  ConvNet model;
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  auto make = [](auto mode) {
    return torch::data::make_data_loader(torch::data::datasets::MNIST("data", mode).map(torch::data::transforms::Stack<>()), 128);
  };
  auto train = make(torch::data::datasets::MNIST::Mode::kTrain);
  auto test = make(torch::data::datasets::MNIST::Mode::kTest);
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (auto& batch : *train) {
      optimizer.zero_grad();
      torch::nn::functional::cross_entropy(model(batch.data), batch.target).backward();
      optimizer.step();
    }
    auto [loss, accuracy] = evaluate(model, *test);
    std::printf("%d %.4f %.2f%%\n", epoch, loss, 100 * accuracy);
  }
}

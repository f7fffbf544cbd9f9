#include <torch/torch.h>
#include <iostream>
#include <map>

using namespace torch;

struct Classifier : nn::Module {
  nn::Linear fc1{nullptr}, fc2{nullptr};
  Classifier() {
    fc1 = register_module("fc1", nn::Linear(784, 64));
    fc2 = register_module("fc2", nn::Linear(64, 10));
  }
  Tensor forward(Tensor x) {
    x = relu(fc1->forward(x.view({-1, 784})));
    return log_softmax(fc2->forward(x), 1);
  }
};

template <typename Loader>
void train(Classifier& model, optim::Optimizer& opt, Loader& loader, int epochs) {
  std::map<int, Tensor> last_loss_of_epoch;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    for (auto& batch : *loader) {
      opt.zero_grad();
      auto loss = nll_loss(model.forward(batch.data), batch.target);
      loss.backward();
      opt.step();
      last_loss_of_epoch[epoch] = loss;  // EXPECT: retained-graph
    }
  }
  for (const auto& [epoch, loss] : last_loss_of_epoch) std::cout << epoch << ' ' << loss.template item<float>() << '\n';
}

void run(const std::string& root) {
  auto set = data::datasets::MNIST(root).map(data::transforms::Stack<>());
  auto loader = data::make_data_loader(std::move(set), 64);
  Classifier model;
  optim::SGD opt(model.parameters(), 0.01);
  train(model, opt, loader, 10);
}

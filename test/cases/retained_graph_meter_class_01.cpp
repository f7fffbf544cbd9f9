#include <torch/torch.h>
#include <iostream>
#include <string>
#include <utility>

class AverageMeter {
 public:
  explicit AverageMeter(std::string name) : name_(std::move(name)) { reset(); }
  void reset() {
    sum_ = torch::zeros({1});
    count_ = 0;
  }
  void update(const torch::Tensor& value, int64_t n = 1) {
    sum_ = sum_ + value * n;  // EXPECT: retained-graph
    count_ += n;
  }
  void print() const { std::cout << name_ << ": " << sum_.item<float>() / count_ << '\n'; }

 private:
  std::string name_;
  torch::Tensor sum_;
  int64_t count_ = 0;
};

template <class Net, class Loader>
void train_epoch(Net& net, Loader& loader, torch::optim::Optimizer& opt) {
  AverageMeter meter("loss");
  for (auto& example : loader) {
    opt.zero_grad();
    auto prediction = net->forward(example.data);
    auto loss = torch::nll_loss(torch::log_softmax(prediction, 1), example.target);
    loss.backward();
    opt.step();
    meter.update(loss, example.data.size(0));
  }
  meter.print();
}

int main() {
  auto loader = torch::data::make_data_loader(
      torch::data::datasets::MNIST("data").map(torch::data::transforms::Stack<>()), 32);
  torch::nn::Sequential net(torch::nn::Flatten(), torch::nn::Linear(784, 10));
  torch::optim::SGD opt(net->parameters(), 0.1);
  for (int epoch = 0; epoch < 3; ++epoch) train_epoch(net, *loader, opt);
}

#include <torch/torch.h>
#include <algorithm>
#include <iostream>
#include <string>

// Running average of a quantity, weighted by the number of samples.
class AverageMeter {
 public:
  explicit AverageMeter(std::string name) : name_(std::move(name)) { reset(); }
  void reset() {
    sum_ = torch::zeros({});
    count_ = 0;
  }
  void update(const torch::Tensor& value, int64_t n) {
    sum_ = sum_ + value * n;
    count_ += n;
  }
  double average() const { return sum_.item<double>() / std::max<int64_t>(count_, 1); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  torch::Tensor sum_;
  int64_t count_ = 0;
};

int main() {
  torch::manual_seed(7);
  auto net = torch::nn::Sequential(torch::nn::Flatten(), torch::nn::Linear(784, 256), torch::nn::ReLU(),
                                   torch::nn::Linear(256, 10));
  torch::optim::SGD opt(net->parameters(), torch::optim::SGDOptions(0.05).momentum(0.9));
  auto data = torch::data::datasets::MNIST("./data")
                  .map(torch::data::transforms::Normalize<>(0.13, 0.31))
                  .map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      std::move(data), torch::data::DataLoaderOptions().batch_size(64).workers(2));

  AverageMeter loss_meter("loss"), acc_meter("acc");
  for (int epoch = 1; epoch <= 20; ++epoch) {
    loss_meter.reset();
    acc_meter.reset();
    for (auto& batch : *loader) {
      opt.zero_grad();
      auto logits = net->forward(batch.data);
      auto loss = torch::cross_entropy_loss(logits, batch.target);
      loss.backward();
      opt.step();
      auto hits = logits.argmax(1).eq(batch.target).to(torch::kFloat32);
      loss_meter.update(loss, batch.data.size(0));
      acc_meter.update(hits.mean(), batch.data.size(0));
    }
    std::cout << epoch << ' ' << loss_meter.name() << ' ' << loss_meter.average() << ' ' << acc_meter.name() << ' '
              << acc_meter.average() << '\n';
  }
}

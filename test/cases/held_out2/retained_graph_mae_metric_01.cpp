#include <torch/torch.h>
#include <iostream>

class MeanAbsoluteError {
 public:
  void update(const torch::Tensor& prediction, const torch::Tensor& target) {
    sum_ += torch::abs(prediction - target).sum();  // EXPECT: retained-graph
    count_ += target.numel();
  }
  double compute() const { return count_ ? sum_.item<double>() / count_ : 0.0; }
  void reset() {
    sum_ = torch::zeros({});
    count_ = 0;
  }

 private:
  torch::Tensor sum_ = torch::zeros({});
  int64_t count_ = 0;
};

template <typename Loader>
void fit(torch::nn::Sequential& net, Loader& loader, int epochs) {
  torch::optim::RMSprop optimizer(net->parameters(), torch::optim::RMSpropOptions(1e-3));
  MeanAbsoluteError mae;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    mae.reset();
    for (auto& batch : *loader) {
      optimizer.zero_grad();
      auto out = net->forward(batch.data);
      auto loss = torch::smooth_l1_loss(out, batch.target);
      loss.backward();
      optimizer.step();
      mae.update(out, batch.target);
    }
    std::cout << "epoch " << epoch << " mae " << mae.compute() << "\n";
  }
}

int main() {
  torch::nn::Sequential net(torch::nn::Linear(8, 32), torch::nn::ReLU(), torch::nn::Linear(32, 1));
  auto data = torch::data::datasets::MNIST("./mnist").map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader(std::move(data), 64);
  fit(net, loader, 3);
}

#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <list>
#include <vector>

using BatchEnd = std::function<void(int, const torch::Tensor&)>;

class Fitter {
 public:
  Fitter(torch::nn::Linear model, double lr) : model_(model), sgd_(model_->parameters(), lr) {}
  void on_batch_end(BatchEnd callback) { callbacks_.push_back(std::move(callback)); }

  void fit(const std::vector<std::pair<torch::Tensor, torch::Tensor>>& batches) {
    int index = 0;
    for (const auto& [x, y] : batches) {
      sgd_.zero_grad();
      auto loss = torch::mse_loss(model_(x), y);
      loss.backward();
      sgd_.step();
      for (auto& callback : callbacks_) callback(index, loss);
      ++index;
    }
  }

 private:
  torch::nn::Linear model_;
  torch::optim::SGD sgd_;
  std::list<BatchEnd> callbacks_;
};

int main() {
  std::vector<std::pair<torch::Tensor, torch::Tensor>> batches;
  for (int i = 0; i < 5000; ++i) batches.emplace_back(torch::randn({16, 4}), torch::randn({16, 1}));
  std::vector<torch::Tensor> curve;
  Fitter fitter(torch::nn::Linear(4, 1), 0.01);
  fitter.on_batch_end([&curve](int, const torch::Tensor& loss) {
    curve.push_back(loss);  // EXPECT: retained-graph
  });
  fitter.on_batch_end([](int i, const torch::Tensor& loss) {
    if (i % 100 == 0) std::cout << i << ": " << loss.item<float>() << std::endl;
  });
  fitter.fit(batches);
  std::cout << "last " << curve.back().item<float>() << std::endl;
}

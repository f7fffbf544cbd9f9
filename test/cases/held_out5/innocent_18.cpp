#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <vector>

// Collects a confusion matrix; takes any kind of logits.
class ConfusionMatrix {
 public:
  explicit ConfusionMatrix(int64_t classes) : classes_(classes), counts_(torch::zeros({classes, classes}, torch::kLong)) {}
  void update(const torch::Tensor& logits, const torch::Tensor& labels) {
    auto cell = labels * classes_ + logits.argmax(1);
    counts_ += torch::bincount(cell, {}, classes_ * classes_).view({classes_, classes_});
    wrong_.push_back(logits.argmax(1).ne(labels).sum());
  }
  double accuracy() const { return counts_.diag().sum().item<double>() / counts_.sum().item<double>(); }
  int64_t worst_batch() const { return torch::stack(wrong_).max().item<int64_t>(); }

 private:
  int64_t classes_;
  torch::Tensor counts_;
  std::vector<torch::Tensor> wrong_;
};

// The base class owns the guard and the loop, the derived class the model.
class Benchmark {
 public:
  virtual ~Benchmark() = default;
  void run(ConfusionMatrix& matrix, int batches) {
    torch::NoGradGuard no_grad;
    for (int i = 0; i < batches; ++i) matrix.update(predict(torch::rand({64, 40})), torch::randint(5, {64}, torch::kLong));
  }

 protected:
  virtual torch::Tensor predict(const torch::Tensor& x) = 0;
};

class MlpBenchmark : public Benchmark {
 public:
  MlpBenchmark() {
    torch::load(net_, "mlp.pt");
    net_->eval();
  }
  void train_a_little(ConfusionMatrix& matrix) {
    torch::optim::SGD opt(net_->parameters(), 0.01);
    for (int i = 0; i < 100; ++i) {
      auto x = torch::rand({64, 40});
      auto y = torch::randint(5, {64}, torch::kLong);
      auto logits = net_->forward(x);
      opt.zero_grad();
      torch::cross_entropy_loss(logits, y).backward();
      opt.step();
      matrix.update(logits, y);
    }
  }

 protected:
  torch::Tensor predict(const torch::Tensor& x) override { return torch::softmax(net_->forward(x), 1); }

 private:
  torch::nn::Sequential net_{torch::nn::Linear(40, 80), torch::nn::ReLU(), torch::nn::Linear(80, 5)};
};

int main() {
  MlpBenchmark benchmark;
  ConfusionMatrix train(5), test(5);
  benchmark.train_a_little(train);
  benchmark.run(test, 50);
  std::cout << train.accuracy() << ' ' << test.accuracy() << ' ' << test.worst_batch() << '\n';
}

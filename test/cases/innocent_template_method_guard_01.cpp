#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <vector>

using torch::Tensor;

class Task {
 public:
  virtual ~Task() = default;

  double evaluate(const std::vector<std::pair<Tensor, Tensor>>& set) {
    torch::NoGradGuard no_grad;
    module().eval();
    Tensor sum = torch::zeros({});
    for (const auto& [x, y] : set) sum += measure(predict(x), y);
    module().train();
    return sum.item<double>() / set.size();
  }

 protected:
  virtual Tensor predict(const Tensor& x) = 0;
  virtual Tensor measure(const Tensor& out, const Tensor& y) { return torch::mse_loss(out, y); }
  virtual torch::nn::Module& module() = 0;
};

class LineTask : public Task {
 protected:
  Tensor predict(const Tensor& x) override { return line_->forward(x); }
  torch::nn::Module& module() override { return *line_; }

 private:
  torch::nn::Linear line_{4, 1};
};

class DeepTask : public Task {
 protected:
  Tensor predict(const Tensor& x) override {
    outputs_.push_back(net_->forward(x));
    return outputs_.back();
  }
  Tensor measure(const Tensor& out, const Tensor& y) override { return (out - y).abs().mean(); }
  torch::nn::Module& module() override { return *net_; }

 private:
  torch::nn::Sequential net_{torch::nn::Linear(4, 9), torch::nn::ReLU(), torch::nn::Linear(9, 1)};
  std::vector<Tensor> outputs_;
};

int main() {
  std::vector<std::unique_ptr<Task>> tasks;
  tasks.push_back(std::make_unique<LineTask>());
  tasks.push_back(std::make_unique<DeepTask>());
  for (auto& t : tasks) std::cout << t->evaluate({{torch::rand({3, 4}), torch::rand({3, 1})}}) << '\n';
}

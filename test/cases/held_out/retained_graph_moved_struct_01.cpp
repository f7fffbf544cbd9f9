#include <torch/torch.h>
#include <string>
#include <utility>
#include <vector>

using torch::Tensor;

struct StepResult {
  Tensor loss;
  Tensor norm;
  double seconds = 0;
};

class Loop {
 public:
  Loop() : net_(torch::nn::Linear(9, 9), torch::nn::Tanh(), torch::nn::Linear(9, 1)), opt_(net_->parameters(), 1e-2) {}

  void run(const std::vector<Tensor>& xs) {
    for (const auto& x : xs) {
      StepResult result = step(x);
      results_.push_back(std::move(result));  // EXPECT: retained-graph
    }
  }

  double mean() const {
    double sum = 0;
    for (const auto& r : results_) sum += r.loss.item<double>();
    return sum / results_.size();
  }

 private:
  StepResult step(const Tensor& x) {
    StepResult r;
    opt_.zero_grad();
    r.loss = (net_->forward(x) - x.sum(1, true)).square().mean();
    r.loss.backward();
    r.norm = net_[0]->as<torch::nn::Linear>()->weight.grad().norm();
    opt_.step();
    return r;
  }

  torch::nn::Sequential net_;
  torch::optim::SGD opt_;
  std::vector<StepResult> results_;
};

int main() {
  Loop loop;
  loop.run(std::vector<Tensor>(100, torch::rand({5, 9})));
  std::printf("%f\n", loop.mean());
}

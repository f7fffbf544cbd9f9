#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

struct Scorer : torch::nn::Module {
  virtual torch::Tensor forward(torch::Tensor x) = 0;
};

struct LinearScorer : Scorer {
  LinearScorer() { fc = register_module("fc", torch::nn::Linear(40, 2)); }
  torch::Tensor forward(torch::Tensor x) override { return fc(x); }
  torch::nn::Linear fc{nullptr};
};

struct DeepScorer : Scorer {
  DeepScorer() {
    body = register_module("body", torch::nn::Sequential(torch::nn::Linear(40, 400), torch::nn::Dropout(0.3),
                                                         torch::nn::ReLU(), torch::nn::Linear(400, 2)));
  }
  torch::Tensor forward(torch::Tensor x) override { return body->forward(x); }
  torch::nn::Sequential body{nullptr};
};

class Ensemble {
 public:
  void add(std::shared_ptr<Scorer> m, const std::string& file) {
    torch::load(m, file);
    m->eval();
    members_.push_back(std::move(m));
  }
  // Mean probability of the positive class.
  double probability(const torch::Tensor& features) const {
    double sum = 0;
    for (const auto& m : members_) {
      auto p = torch::softmax(m->forward(features), 1);
      sum += p.select(1, 1).mean().item<double>();
    }
    return sum / members_.size();
  }

 private:
  std::vector<std::shared_ptr<Scorer>> members_;
};

int main() {
  Ensemble ensemble;
  ensemble.add(std::make_shared<LinearScorer>(), "linear.pt");
  ensemble.add(std::make_shared<DeepScorer>(), "deep.pt");
  for (std::string line; std::getline(std::cin, line);) {
    auto features = torch::full({1, 40}, std::stod(line));
    std::cout << ensemble.probability(features) << '\n';
  }
}

#include <torch/torch.h>
#include <iostream>
#include <stdexcept>
#include <vector>

// Saves grad mode and training mode of a module, and restores both on every way out.
class EvaluationScope {
 public:
  explicit EvaluationScope(torch::nn::Module& m)
      : module_(m), grad_(torch::autograd::GradMode::is_enabled()), training_(m.is_training()) {
    torch::autograd::GradMode::set_enabled(false);
    module_.eval();
  }
  EvaluationScope(const EvaluationScope&) = delete;
  ~EvaluationScope() {
    module_.train(training_);
    torch::autograd::GradMode::set_enabled(grad_);
  }

 private:
  torch::nn::Module& module_;
  bool grad_, training_;
};

double perplexity(torch::nn::Sequential& lm, const std::vector<torch::Tensor>& documents) {
  EvaluationScope scope(*lm);
  if (documents.empty()) throw std::invalid_argument("nothing to evaluate");
  auto sum = torch::zeros({});
  for (const auto& doc : documents) {
    auto logits = lm->forward(doc.slice(0, 0, -1));
    sum += torch::cross_entropy_loss(logits, doc.slice(0, 1));
  }
  return std::exp(sum.item<double>() / documents.size());
}

int main() {
  torch::nn::Sequential lm(torch::nn::Embedding(500, 64), torch::nn::Dropout(0.2), torch::nn::Linear(64, 500));
  std::vector<torch::Tensor> train, held_out;
  for (int i = 0; i < 100; ++i) (i % 10 == 0 ? held_out : train).push_back(torch::randint(500, {120}, torch::kLong));
  torch::optim::Adam opt(lm->parameters(), 1e-3);
  for (int epoch = 0; epoch < 5; ++epoch) {
    for (size_t i = 0; i < train.size(); ++i) {
      opt.zero_grad();
      torch::cross_entropy_loss(lm->forward(train[i].slice(0, 0, -1)), train[i].slice(0, 1)).backward();
      opt.step();
      if (i % 30 == 29) std::cout << "perplexity " << perplexity(lm, held_out) << '\n';
    }
  }
}

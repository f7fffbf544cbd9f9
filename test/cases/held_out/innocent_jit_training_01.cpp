#include <torch/script.h>
#include <torch/torch.h>
#include <iostream>
#include <vector>

// Fine-tunes a TorchScript module; validation runs under a guard.
class ScriptTrainer {
 public:
  explicit ScriptTrainer(const std::string& path) : module_(torch::jit::load(path)) {
    for (const auto& p : module_.parameters()) parameters_.push_back(p);
    optimizer_ = std::make_unique<torch::optim::Adam>(parameters_, 1e-4);
  }

  double epoch(const std::vector<std::pair<at::Tensor, at::Tensor>>& data) {
    module_.train();
    double sum = 0;
    for (const auto& [x, y] : data) {
      optimizer_->zero_grad();
      auto out = module_.forward({x}).toTuple()->elements()[0].toTensor();
      auto loss = torch::cross_entropy_loss(out, y);
      loss.backward();
      optimizer_->step();
      sum += loss.item<double>();
    }
    return sum / data.size();
  }

  double accuracy(const std::vector<std::pair<at::Tensor, at::Tensor>>& data) {
    module_.eval();
    torch::NoGradGuard guard;
    at::Tensor right = torch::zeros({}, torch::kLong);
    std::vector<at::Tensor> scores;
    for (const auto& [x, y] : data) {
      auto out = module_.forward({x}).toTuple()->elements()[0].toTensor();
      scores.push_back(out);
      right += out.argmax(1).eq(y).sum();
    }
    return right.item<double>() / at::cat(scores).size(0);
  }

 private:
  torch::jit::Module module_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<torch::optim::Adam> optimizer_;
};

#include <torch/torch.h>
#include <vector>

using torch::Tensor;

class RunningNorm : public torch::nn::Module {
 public:
  explicit RunningNorm(int64_t width) : momentum_(0.1) {
    gain_ = register_parameter("gain", torch::ones({width}));
    mean_ = register_buffer("mean", torch::zeros({width}));
    var_ = register_buffer("var", torch::ones({width}));
    count_ = register_buffer("count", torch::zeros({}, torch::kLong));
  }

  Tensor forward(const Tensor& x) {
    if (is_training()) {
      auto m = x.mean(0), v = x.var(0, /*unbiased=*/false);
      {
        torch::NoGradGuard no_grad;
        mean_.mul_(1 - momentum_).add_(m, momentum_);
        count_ += 1;
      }
      var_ = (1 - momentum_) * var_ + momentum_ * v.detach();
      return gain_ * (x - m) / (v + 1e-5).sqrt();
    }
    return gain_ * (x - mean_) / (var_ + 1e-5).sqrt();
  }

 private:
  double momentum_;
  Tensor gain_, mean_, var_, count_;
};

void train(RunningNorm& norm, torch::nn::Linear head, const std::vector<std::pair<Tensor, Tensor>>& data) {
  auto parameters = norm.parameters();
  for (const auto& p : head->parameters()) parameters.push_back(p);
  torch::optim::SGD opt(parameters, 0.1);
  for (const auto& [x, y] : data) {
    opt.zero_grad();
    torch::mse_loss(head(norm.forward(x)), y).backward();
    opt.step();
  }
}

#include <torch/torch.h>
#include <array>
#include <iostream>
#include <vector>

// Metrics of a classifier, updated with the outputs of training.
class Metrics {
 public:
  explicit Metrics(int64_t classes) : confusion_(torch::zeros({classes, classes}, torch::kLong)) {}
  void update(const torch::Tensor& logits, const torch::Tensor& target, const torch::Tensor& loss) {
    auto predicted = logits.argmax(1);
    confusion_.index_put_({target, predicted}, torch::ones_like(target), /*accumulate=*/true);
    correct_ += predicted.eq(target).sum();
    loss_sum_ += loss.item<double>() * target.size(0);
    auto top = std::get<1>(logits.topk(3, 1));
    hits_.push_back(top.eq(target.unsqueeze(1)).any(1).to(torch::kFloat));
    confidence_.push_back(logits.detach().softmax(1).amax(1));
    seen_ += target.size(0);
  }
  void print() const {
    std::cout << loss_sum_ / seen_ << ' ' << correct_.item<int64_t>() << '/' << seen_ << " top3 "
              << torch::cat(hits_).mean().item<float>() << " sure " << torch::cat(confidence_).mean().item<float>() << '\n'
              << confusion_ << std::endl;
  }

 private:
  torch::Tensor confusion_;
  torch::Tensor correct_ = torch::zeros({}, torch::kLong);
  std::vector<torch::Tensor> hits_, confidence_;
  double loss_sum_ = 0;
  int64_t seen_ = 0;
};

void epoch(torch::nn::Sequential& net, torch::optim::Optimizer& opt, const std::vector<std::array<torch::Tensor, 2>>& batches) {
  Metrics metrics(10);
  for (const auto& [x, y] : batches) {
    auto logits = net->forward(x);
    auto loss = torch::nn::functional::cross_entropy(logits, y);
    opt.zero_grad();
    loss.backward();
    opt.step();
    metrics.update(logits, y, loss);
  }
  metrics.print();
}

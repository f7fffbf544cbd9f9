#include <torch/torch.h>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

using LossFn = std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>;
using Pairs = std::vector<std::pair<torch::Tensor, torch::Tensor>>;

class DepthTrainer {
 public:
  DepthTrainer(torch::nn::Sequential net, int window) : net_(std::move(net)), optim_(net_->parameters(), 1e-4), window_(window) {
    loss_fn_ = [](const torch::Tensor& predicted, const torch::Tensor& truth) { return torch::l1_loss(predicted, truth); };
  }

  void run(const Pairs& pairs) {
    for (const auto& [image, depth] : pairs) {
      backward_only(image, depth);
      if (window_is_full()) update();
    }
  }

 private:
  void backward_only(const torch::Tensor& image, const torch::Tensor& depth) {
    loss_fn_(net_->forward(image), depth).backward();  // EXPECT: unscaled-accumulation
    ++pending_;
  }
  bool window_is_full() const { return pending_ >= window_; }
  void update() {
    optim_.step();
    optim_.zero_grad();
    pending_ = 0;
  }

  torch::nn::Sequential net_;
  torch::optim::Adam optim_;
  LossFn loss_fn_;
  int window_, pending_ = 0;
};

#include <torch/torch.h>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>

using torch::Tensor;

class Run {
 public:
  explicit Run(torch::nn::Linear net) : net_(net), opt_(net->parameters(), 1e-2) {}

  void step(const Tensor& x, const Tensor& y) {
    Tensor prediction = net_(x);
    Tensor loss = torch::smooth_l1_loss(prediction, y);
    opt_.zero_grad();
    loss.backward();
    opt_.step();
    last_ = loss;
    metrics_["loss"] = loss;
    metrics_["spread"] = prediction.std();
    if (!best_ || loss.item<float>() < best_->item<float>()) best_ = loss;
    previous_ = std::make_pair(step_++, prediction);
  }

  void print() const {
    for (const auto& kv : metrics_) std::cout << kv.first << '=' << kv.second.item<float>() << ' ';
    std::cout << last_.item<float>() << ' ' << previous_.first << '\n';
  }

 private:
  torch::nn::Linear net_;
  torch::optim::SGD opt_;
  Tensor last_;
  std::map<std::string, Tensor> metrics_;
  std::optional<Tensor> best_;
  std::pair<int, Tensor> previous_;
  int step_ = 0;
};

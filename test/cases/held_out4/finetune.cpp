#include <torch/torch.h>
#include <iostream>
#include <string>

struct BackboneImpl : torch::nn::Module {
  BackboneImpl() {
    layers = register_module("layers", torch::nn::Sequential(
        torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 3).padding(1)), torch::nn::BatchNorm2d(32), torch::nn::ReLU(),
        torch::nn::MaxPool2d(2), torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 3).padding(1)),
        torch::nn::BatchNorm2d(64), torch::nn::ReLU(), torch::nn::AdaptiveAvgPool2d(1)));
  }
  torch::Tensor forward(torch::Tensor x) { return layers->forward(x).flatten(1); }
  torch::nn::Sequential layers{nullptr};
};
TORCH_MODULE(Backbone);

class Classifier {
 public:
  Classifier(const std::string& weights, int64_t classes) : head_(64, classes) {
    torch::load(backbone_, weights);
    freeze();
    opt_ = std::make_unique<torch::optim::Adam>(head_->parameters(), torch::optim::AdamOptions(1e-3));
  }

  void unfreeze(double lr) {
    for (auto& p : backbone_->parameters()) p.set_requires_grad(true);
    backbone_->train();
    frozen_ = false;
    opt_->add_param_group(torch::optim::OptimizerParamGroup(backbone_->parameters()));
    for (auto& g : opt_->param_groups()) static_cast<torch::optim::AdamOptions&>(g.options()).lr(lr);
  }

  double train_epoch(int64_t batches) {
    double sum = 0;
    for (int64_t i = 0; i < batches; ++i) {
      auto x = torch::rand({16, 3, 64, 64});
      auto y = torch::randint(5, {16}, torch::kLong);
      auto loss = torch::cross_entropy_loss(head_->forward(features(x)), y);
      reset();
      loss.backward();
      opt_->step();
      sum += loss.item<double>();
    }
    return sum / batches;
  }

  double evaluate(int64_t batches) {
    torch::NoGradGuard no_grad;
    backbone_->eval();
    int64_t ok = 0;
    for (int64_t i = 0; i < batches; ++i) {
      auto y = torch::randint(5, {16}, torch::kLong);
      ok += head_->forward(features(torch::rand({16, 3, 64, 64}))).argmax(1).eq(y).sum().item<int64_t>();
    }
    if (!frozen_) backbone_->train();
    return ok / (16.0 * batches);
  }

 private:
  void freeze() {
    for (auto& p : backbone_->parameters()) p.set_requires_grad(false);
    backbone_->eval();
  }
  torch::Tensor features(torch::Tensor x) {
    if (frozen_) {
      torch::NoGradGuard no_grad;
      return backbone_->forward(x);
    }
    return backbone_->forward(x);
  }
  void reset() {
    for (auto& group : opt_->param_groups())
      for (auto& p : group.params())
        if (p.grad().defined()) p.mutable_grad() = torch::Tensor();
  }

  Backbone backbone_;
  torch::nn::Linear head_;
  std::unique_ptr<torch::optim::Adam> opt_;
  bool frozen_ = true;
};

int main(int argc, char** argv) {
  Classifier model(argc > 1 ? argv[1] : "backbone.pt", 5);
  for (int e = 0; e < 10; ++e) {
    if (e == 5) model.unfreeze(1e-5);
    std::cout << e << " " << model.train_epoch(100) << " " << model.evaluate(20) << "\n";
  }
}

#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <vector>

struct Backbone : torch::nn::Module {
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
  void freeze() {
    for (auto& p : parameters()) p.set_requires_grad(false);
    eval();
  }
};

struct ConvBackbone : Backbone {
  ConvBackbone() {
    conv = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 128, 8).stride(8)));
    bn = register_module("bn", torch::nn::BatchNorm2d(128));
  }
  torch::Tensor forward(const torch::Tensor& x) override { return torch::relu(bn(conv(x))).mean({2, 3}); }
  torch::nn::Conv2d conv{nullptr};
  torch::nn::BatchNorm2d bn{nullptr};
};

struct Probe {
  explicit Probe(int64_t classes) : fc(128, classes), opt(fc->parameters(), torch::optim::SGDOptions(0.1)) {}
  void fit(const std::vector<torch::Tensor>& features, const std::vector<torch::Tensor>& labels, int epochs) {
    for (int e = 0; e < epochs; ++e) {
      for (size_t i = 0; i < features.size(); ++i) {
        opt.zero_grad();
        auto loss = torch::cross_entropy_loss(fc(features[i]), labels[i]);
        loss.backward();
        opt.step();
      }
    }
  }
  torch::nn::Linear fc;
  torch::optim::SGD opt;
};

int main() {
  std::shared_ptr<Backbone> backbone = std::make_shared<ConvBackbone>();
  torch::load(backbone, "backbone.pt");
  backbone->freeze();

  std::vector<torch::Tensor> features, labels;
  for (int i = 0; i < 500; ++i) {
    auto images = torch::rand({32, 3, 64, 64});
    features.push_back(backbone->forward(images));
    labels.push_back(torch::randint(10, {32}, torch::kLong));
  }
  Probe probe(10);
  probe.fit(features, labels, 20);
  torch::save(probe.fc, "probe.pt");
}

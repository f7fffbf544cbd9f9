// Linear probe: the backbone is frozen, so its features carry no history even without a guard.
#include <torch/torch.h>

#include <algorithm>
#include <iostream>
#include <vector>

struct EncoderImpl : torch::nn::Module {
  EncoderImpl() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 32, 3).stride(2)));
    c2 = register_module("c2", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 64, 3).stride(2)));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(c2(torch::relu(c1(x)))).mean({2, 3}); }
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
};
TORCH_MODULE(Encoder);

static void freeze(torch::nn::Module& m) {
  for (auto& p : m.parameters()) p.set_requires_grad(false);
}

struct Probe {
  explicit Probe(Encoder e) : encoder(e), head(64, 9), opt(head->parameters(), torch::optim::SGDOptions(0.1)) {
    freeze(*encoder);
    encoder->eval();
  }

  void cache(const std::vector<torch::Tensor>& images) {
    for (const auto& im : images) features.push_back(encoder->forward(im.unsqueeze(0)));
  }

  double epoch(const torch::Tensor& labels) {
    double sum = 0;
    auto all = torch::cat(features);
    auto order = torch::randperm(all.size(0));
    for (const auto& pick : order.split(32)) {
      opt.zero_grad();
      auto loss = torch::cross_entropy_loss(head->forward(all.index_select(0, pick)), labels.index_select(0, pick));
      loss.backward();
      opt.step();
      sum += loss.item<double>();
    }
    return sum;
  }

  Encoder encoder;
  torch::nn::Linear head;
  torch::optim::SGD opt;
  std::vector<torch::Tensor> features;
};

int main() {
  Encoder encoder;
  torch::load(encoder, "encoder.pt");
  Probe probe(encoder);
  std::vector<torch::Tensor> images;
  for (int i = 0; i < 512; ++i) images.push_back(torch::rand({3, 96, 96}));
  probe.cache(images);
  const auto labels = torch::randint(0, 9, {512}, torch::kLong);
  for (int e = 0; e < 20; ++e) std::cout << probe.epoch(labels) << "\n";
}

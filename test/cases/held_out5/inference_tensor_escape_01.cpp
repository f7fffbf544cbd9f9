#include <torch/torch.h>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

struct BackboneImpl : torch::nn::Module {
  BackboneImpl() : conv(torch::nn::Conv2dOptions(3, 64, 7).stride(4)) { register_module("conv", conv); }
  torch::Tensor forward(const torch::Tensor& x) { return torch::relu(conv(x)).mean({2, 3}); }
  torch::nn::Conv2d conv;
};
TORCH_MODULE(Backbone);

struct Example {
  torch::Tensor feature, label;
};

// The backbone is fixed, so its features are computed only once.
std::vector<Example> extract(Backbone& backbone, const std::vector<torch::Tensor>& images) {
  c10::InferenceMode guard;
  backbone->eval();
  std::vector<Example> examples;
  for (const auto& image : images) {
    auto feature = backbone(image);
    examples.push_back({feature, torch::randint(5, {image.size(0)}, torch::kLong)});
  }
  return examples;
}

int main() {
  Backbone backbone;
  torch::load(backbone, "backbone.pt");
  std::vector<torch::Tensor> images;
  for (int i = 0; i < 64; ++i) images.push_back(torch::rand({16, 3, 64, 64}));
  const auto examples = extract(backbone, images);

  torch::nn::Linear head(64, 5);
  torch::optim::SGD opt(head->parameters(), 0.1);
  for (int epoch = 0; epoch < 30; ++epoch) {
    float last = 0;
    for (const auto& e : examples) {
      opt.zero_grad();
      auto loss = torch::cross_entropy_loss(head->forward(e.feature), e.label);
      loss.backward();
      opt.step();
      last = loss.item<float>();
    }
    std::cout << epoch << ' ' << last << '\n';
  }
}

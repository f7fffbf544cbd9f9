// Transfer learning: features are computed once under InferenceMode and then train a new head.
#include <torch/torch.h>

#include <iostream>
#include <vector>

struct TrunkImpl : torch::nn::Module {
  TrunkImpl() {
    c1 = register_module("c1", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 5).stride(2)));
    c2 = register_module("c2", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 5).stride(2)));
  }
  torch::Tensor forward(torch::Tensor x) { return torch::relu(c2(torch::relu(c1(x)))).mean({2, 3}); }
  torch::nn::Conv2d c1{nullptr}, c2{nullptr};
};
TORCH_MODULE(Trunk);

torch::Tensor extract(Trunk& trunk, const torch::Tensor& images) {
  c10::InferenceMode guard;
  trunk->eval();
  std::vector<torch::Tensor> parts;
  for (const auto& chunk : images.split(64)) parts.push_back(trunk->forward(chunk));
  return torch::cat(parts);  // ALSO: inference-tensor-escape
}

int main() {
  torch::manual_seed(5);
  const auto images = torch::rand({640, 1, 64, 64});
  const auto labels = torch::randint(0, 6, {640}, torch::kLong);

  Trunk trunk;
  torch::load(trunk, "trunk.pt");
  const auto features = extract(trunk, images);

  torch::nn::Linear head(32, 6);
  torch::optim::SGD opt(head->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
  for (int epoch = 0; epoch < 30; ++epoch) {
    opt.zero_grad();
    auto logits = head->forward(features);  // EXPECT: inference-tensor-escape
    auto loss = torch::cross_entropy_loss(logits, labels);
    loss.backward();
    opt.step();
    std::cout << epoch << " " << loss.item<float>() << "\n";
  }
}

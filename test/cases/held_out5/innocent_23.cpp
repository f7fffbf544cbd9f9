#include <torch/torch.h>
#include <iostream>

namespace F = torch::nn::functional;

struct SmallCnnImpl : torch::nn::Module {
  SmallCnnImpl() : conv(torch::nn::Conv2dOptions(3, 32, 3)), bn(32), fc(32, 10) {
    register_module("conv", conv);
    register_module("bn", bn);
    register_module("fc", fc);
  }
  torch::Tensor features(const torch::Tensor& x) { return torch::relu(bn(conv(x))); }
  torch::Tensor classify(const torch::Tensor& f) { return fc(f.mean({2, 3})); }
  torch::Tensor forward(const torch::Tensor& x) { return classify(features(x)); }
  torch::nn::Conv2d conv;
  torch::nn::BatchNorm2d bn;
  torch::nn::Linear fc;
};
TORCH_MODULE(SmallCnn);

// Grad-CAM: which regions made the network choose its class.
torch::Tensor class_activation_map(SmallCnn& net, const torch::Tensor& image) {
  net->eval();
  auto maps = net->features(image.unsqueeze(0));
  auto logits = net->classify(maps);
  const auto label = logits.argmax(1).item<int64_t>();
  auto grads = torch::autograd::grad({logits[0][label]}, {maps})[0];
  auto weights = grads.mean({2, 3}, true);
  return torch::relu((weights * maps).sum(1)).detach().squeeze(0);
}

// One step of the fast gradient sign method.
torch::Tensor attack(SmallCnn& net, const torch::Tensor& image, const torch::Tensor& label, double eps) {
  net->eval();
  auto x = image.detach().clone().requires_grad_();
  auto loss = F::cross_entropy(net->forward(x.unsqueeze(0)), label);
  auto g = torch::autograd::grad({loss}, {x})[0];
  return (image + eps * g.sign()).clamp(0, 1);
}

int main() {
  SmallCnn net;
  torch::load(net, "cnn.pt");
  double moved = 0;
  for (int i = 0; i < 50; ++i) {
    auto image = torch::rand({3, 32, 32});
    auto adversarial = attack(net, image, torch::tensor({i % 10}, torch::kLong), 0.03);
    moved += (class_activation_map(net, image) - class_activation_map(net, adversarial)).abs().mean().item<double>();
  }
  std::cout << "mean shift of attention " << moved / 50 << '\n';
}

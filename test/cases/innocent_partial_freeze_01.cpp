#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Segmenter : torch::nn::Module {
  torch::nn::Sequential backbone{nullptr};
  torch::nn::Conv2d head{nullptr};
  Segmenter() {
    backbone = register_module(
        "backbone", torch::nn::Sequential(torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 8, 3).padding(1)), torch::nn::ReLU(),
                                          torch::nn::BatchNorm2d(8)));
    head = register_module("head", torch::nn::Conv2d(torch::nn::Conv2dOptions(8, 1, 1)));
  }
  Tensor forward(Tensor x) { return head(backbone->forward(x)); }
};

// Linear probing: the backbone stays in eval mode and gets no gradient, the head is trained.
void probe(Segmenter& net, const std::vector<std::pair<Tensor, Tensor>>& data) {
  for (auto& p : net.backbone->parameters()) p.set_requires_grad(false);
  torch::optim::SGD opt(net.head->parameters(), 0.01);
  float mean = 0;
  for (const auto& [x, y] : data) {
    net.train();
    net.backbone->eval();
    opt.zero_grad();
    auto loss = torch::binary_cross_entropy_with_logits(net.forward(x), y);
    loss.backward();
    opt.step();
    mean += loss.item<float>() / data.size();
  }
  std::printf("%f\n", mean);
}

// The same with features made once, under a guard.
void probe_cached(Segmenter& net, const std::vector<std::pair<Tensor, Tensor>>& data) {
  std::vector<Tensor> cache;
  {
    torch::NoGradGuard no_grad;
    net.backbone->eval();
    for (const auto& d : data) cache.push_back(net.backbone->forward(d.first));
  }
  torch::optim::SGD opt(net.head->parameters(), 0.01);
  for (size_t i = 0; i < cache.size(); ++i) {
    opt.zero_grad();
    torch::binary_cross_entropy_with_logits(net.head(cache[i]), data[i].second).backward();
    opt.step();
  }
}

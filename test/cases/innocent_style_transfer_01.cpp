#include <torch/torch.h>
#include <vector>

using torch::Tensor;

struct Features : torch::nn::Module {
  torch::nn::ModuleList stages;
  Features() {
    for (int i = 0; i < 3; ++i)
      stages->push_back(torch::nn::Conv2d(torch::nn::Conv2dOptions(i ? 8 : 3, 8, 3).padding(1)));
    register_module("stages", stages);
  }
  std::vector<Tensor> forward(Tensor x) {
    std::vector<Tensor> maps;
    for (size_t i = 0; i < stages->size(); ++i) {
      x = torch::relu(stages[i]->as<torch::nn::Conv2d>()->forward(x));
      maps.push_back(x);
    }
    return maps;
  }
};

static Tensor gram(const Tensor& f) {
  auto m = f.flatten(2).squeeze(0);
  return m.mm(m.t()) / m.numel();
}

Tensor stylise(Features& vgg, Tensor content, Tensor style, int iterations) {
  vgg.eval();
  auto image = content.clone().requires_grad_(true);
  std::vector<Tensor> wanted;
  Tensor target;
  {
    torch::NoGradGuard constants;
    for (const auto& f : vgg.forward(style)) wanted.push_back(gram(f));
    target = vgg.forward(content).back();
  }
  torch::optim::LBFGS opt({image}, 1.0);
  for (int i = 0; i < iterations; ++i) {
    opt.step([&] {
      opt.zero_grad();
      auto maps = vgg.forward(image);
      auto loss = torch::mse_loss(maps.back(), target);
      for (size_t k = 0; k < maps.size(); ++k) loss = loss + 1e4 * torch::mse_loss(gram(maps[k]), wanted[k]);
      loss.backward();
      return loss;
    });
  }
  return image.detach();
}

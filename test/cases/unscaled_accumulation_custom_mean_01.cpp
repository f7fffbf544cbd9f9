#include <torch/torch.h>
#include <vector>

struct Ray {
  torch::Tensor origin, direction, colour;
};

struct Nerf : torch::nn::Module {
  torch::nn::Sequential mlp;
  Nerf() : mlp(torch::nn::Linear(6, 128), torch::nn::ReLU(), torch::nn::Linear(128, 3), torch::nn::Sigmoid()) {
    register_module("mlp", mlp);
  }
  torch::Tensor forward(torch::Tensor o, torch::Tensor d) { return mlp->forward(torch::cat({o, d}, -1)); }
};

static torch::Tensor photometric(const torch::Tensor& rendered, const torch::Tensor& truth) {
  return (rendered - truth).pow(2).mean();
}

void optimise(Nerf& field, torch::optim::Optimizer& opt, const std::vector<std::vector<Ray>>& views) {
  for (const auto& view : views) {
    opt.zero_grad();
    for (const Ray& ray : view) {
      if (ray.colour.numel() == 0) continue;
      auto rgb = field.forward(ray.origin, ray.direction);
      photometric(rgb, ray.colour).backward();  // EXPECT: unscaled-accumulation
    }
    opt.step();
  }
}

#include <torch/torch.h>
#include <vector>

class Ema {
 public:
  Ema(const torch::nn::Module& model, double decay) : decay_(decay) {
    torch::NoGradGuard no_grad;
    for (const auto& p : model.parameters()) shadow_.push_back(p.clone());
  }

  void update(const torch::nn::Module& model) {
    torch::NoGradGuard no_grad;
    const auto parameters = model.parameters();
    for (size_t i = 0; i < parameters.size(); ++i) shadow_[i] = decay_ * shadow_[i] + (1 - decay_) * parameters[i];
  }

  void update_in_place(const torch::nn::Module& model) {
    size_t i = 0;
    for (const auto& p : model.parameters()) shadow_[i++].mul_(decay_).add_(p.detach(), 1 - decay_);
  }

 private:
  double decay_;
  std::vector<torch::Tensor> shadow_;
};

void train(torch::nn::Sequential net, const std::vector<torch::Tensor>& xs, const std::vector<torch::Tensor>& ys) {
  torch::optim::AdamW opt(net->parameters(), 1e-3);
  Ema ema(*net, 0.999);
  for (size_t i = 0; i < xs.size(); ++i) {
    opt.zero_grad();
    torch::mse_loss(net->forward(xs[i]), ys[i]).backward();
    opt.step();
    if (i % 2 == 0)
      ema.update(*net);
    else
      ema.update_in_place(*net);
  }
}

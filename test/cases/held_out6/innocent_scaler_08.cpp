// A small loss scaler: scale() also carries the share of one micro-batch, unscale() divides the gradients.
#include <torch/torch.h>

#include <cmath>
#include <cstdio>
#include <vector>

class LossScaler {
 public:
  explicit LossScaler(int shares) : shares_(shares) {}

  torch::Tensor scale(const torch::Tensor& loss) const { return loss * (factor_ / shares_); }

  bool unscale(const std::vector<torch::Tensor>& params) {
    torch::NoGradGuard off;
    bool finite = true;
    for (const auto& p : params) {
      if (!p.grad().defined()) continue;
      p.grad().div_(factor_);
      finite = finite && torch::isfinite(p.grad()).all().item<bool>();
    }
    return finite;
  }

  void update(bool finite) {
    if (!finite) {
      factor_ = std::max(1.0, factor_ / 2);
      good_ = 0;
    } else if (++good_ == 2000) {
      factor_ *= 2;
      good_ = 0;
    }
  }

 private:
  double factor_ = 65536.0;
  int shares_, good_ = 0;
};

struct TextNetImpl : torch::nn::Module {
  TextNetImpl() {
    embed = register_module("embed", torch::nn::Embedding(5000, 64));
    out = register_module("out", torch::nn::Linear(64, 2));
  }
  torch::Tensor forward(torch::Tensor ids) { return out(embed(ids).mean(1)); }
  torch::nn::Embedding embed{nullptr};
  torch::nn::Linear out{nullptr};
};
TORCH_MODULE(TextNet);

int main() {
  const int shares = 4;
  TextNet net;
  torch::optim::AdamW opt(net->parameters(), torch::optim::AdamWOptions(1e-3));
  LossScaler scaler(shares);
  const auto params = net->parameters();
  double shown = 0;
  for (int i = 1; i <= 40000; ++i) {
    auto ids = torch::randint(0, 5000, {16, 40}, torch::kLong);
    auto label = torch::randint(0, 2, {16}, torch::kLong);
    auto loss = torch::cross_entropy_loss(net->forward(ids), label);
    scaler.scale(loss).backward();
    shown = 0.99 * shown + 0.01 * loss.item<double>();
    if (i % shares) continue;
    const bool finite = scaler.unscale(params);
    if (finite) {
      torch::nn::utils::clip_grad_norm_(params, 1.0);
      opt.step();
    }
    opt.zero_grad();
    scaler.update(finite);
    if (i % 1000 == 0) std::printf("%d %.4f\n", i, shown);
  }
}

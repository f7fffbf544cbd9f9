#include <torch/torch.h>
#include <iostream>
#include <unordered_map>

struct DenoiserImpl : torch::nn::Module {
  DenoiserImpl() {
    in = register_module("in", torch::nn::Linear(2 + 16, 128));
    mid = register_module("mid", torch::nn::Linear(128, 128));
    out = register_module("out", torch::nn::Linear(128, 2));
    freq = register_buffer("freq", torch::exp(torch::arange(8) * -1.0));
  }
  torch::Tensor forward(torch::Tensor x, torch::Tensor t) {
    auto a = t.unsqueeze(1) * freq;
    auto h = torch::silu(in(torch::cat({x, a.sin(), a.cos()}, 1)));
    return out(torch::silu(mid(h)));
  }
  torch::nn::Linear in{nullptr}, mid{nullptr}, out{nullptr};
  torch::Tensor freq;
};
TORCH_MODULE(Denoiser);

class EMA {
 public:
  EMA(Denoiser model, double decay) : model_(model), decay_(decay) {
    for (auto& p : model_->named_parameters()) shadow_[p.key()] = p.value().detach().clone();
  }
  void update() {
    torch::NoGradGuard no_grad;
    for (auto& p : model_->named_parameters()) shadow_[p.key()] = decay_ * shadow_[p.key()] + (1 - decay_) * p.value();
  }
  class Swap {
   public:
    explicit Swap(EMA& e) : e_(e) { e_.exchange(); }
    ~Swap() { e_.exchange(); }

   private:
    torch::NoGradGuard no_grad_;
    EMA& e_;
  };

 private:
  void exchange() {
    for (auto& p : model_->named_parameters()) {
      auto tmp = p.value().data().clone();
      p.value().data().copy_(shadow_[p.key()]);
      shadow_[p.key()] = tmp;
    }
  }
  Denoiser model_;
  double decay_;
  std::unordered_map<std::string, torch::Tensor> shadow_;
};

static torch::Tensor sample(Denoiser& model, const torch::Tensor& abar, int64_t n) {
  auto x = torch::randn({n, 2});
  for (int64_t t = abar.size(0) - 1; t > 0; --t) {
    auto e = model->forward(x, torch::full({n}, double(t)));
    auto a = abar[t], prev = abar[t - 1];
    auto x0 = (x - (1 - a).sqrt() * e) / a.sqrt();
    x = prev.sqrt() * x0 + (1 - prev).sqrt() * e;
  }
  return x;
}

int main() {
  Denoiser model;
  EMA ema(model, 0.999);
  torch::optim::Adam opt(model->parameters(), torch::optim::AdamOptions(2e-4));
  auto abar = torch::cumprod(1 - torch::linspace(1e-4, 0.02, 1000), 0);
  for (int it = 1; it <= 50000; ++it) {
    auto x0 = torch::randn({256, 2}).sign() + 0.05 * torch::randn({256, 2});
    auto t = torch::randint(1000, {256}, torch::kLong);
    auto a = abar.index_select(0, t).unsqueeze(1);
    auto noise = torch::randn_like(x0);
    auto loss = torch::mse_loss(model->forward(a.sqrt() * x0 + (1 - a).sqrt() * noise, t.to(torch::kFloat)), noise);
    opt.zero_grad();
    loss.backward();
    opt.step();
    ema.update();
    if (it % 5000 == 0) {
      EMA::Swap averaged(ema);
      auto x = sample(model, abar, 512);
      std::cout << it << " " << loss.item<float>() << " " << x.abs().mean().item<float>() << "\n";
    }
  }
}

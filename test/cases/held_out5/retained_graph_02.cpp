#include <torch/torch.h>
#include <functional>
#include <iostream>
#include <memory>
#include <vector>

struct RegressorImpl : torch::nn::Module {
  RegressorImpl() : in(13, 64), out(64, 1) {
    register_module("in", in);
    register_module("out", out);
  }
  torch::Tensor forward(const torch::Tensor& x) { return out(torch::gelu(in(x))); }
  torch::nn::Linear in, out;
};
TORCH_MODULE(Regressor);

class Trainer {
 public:
  using Callback = std::function<void(int64_t, const torch::Tensor&)>;

  explicit Trainer(Regressor model)
      : model_(std::move(model)), opt_(std::make_unique<torch::optim::Adam>(model_->parameters(), 1e-3)) {}

  void on_step(Callback cb) { callbacks_.push_back(std::move(cb)); }

  void fit(const torch::Tensor& x, const torch::Tensor& y, int64_t steps) {
    for (int64_t s = 0; s < steps; ++s) {
      auto rows = torch::randint(x.size(0), {32}, torch::kLong);
      opt_->zero_grad();
      auto loss = torch::mse_loss(model_(x.index_select(0, rows)), y.index_select(0, rows));
      loss.backward();
      opt_->step();
      for (auto& cb : callbacks_) cb(s, loss);
    }
  }

 private:
  Regressor model_;
  std::unique_ptr<torch::optim::Optimizer> opt_;
  std::vector<Callback> callbacks_;
};

int main() {
  Trainer trainer{Regressor()};
  std::vector<torch::Tensor> curve;
  trainer.on_step([&curve](int64_t step, const torch::Tensor& loss) {
    if (step % 5 == 0) curve.emplace_back(loss);
  });
  trainer.on_step([](int64_t step, const torch::Tensor& loss) {
    if (step % 1000 == 0) std::cout << step << ": " << loss.item<float>() << '\n';
  });
  trainer.fit(torch::rand({506, 13}), torch::rand({506, 1}), 200000);
  torch::save(torch::stack(curve), "curve.pt");
}

#include <torch/torch.h>
#include <iostream>

struct Unet : torch::nn::Module {
  torch::nn::Conv2d c{nullptr};
  Unet() { c = register_module("c", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 2, 3).padding(1))); }
  torch::Tensor forward(torch::Tensor x) { return c(x); }
};

class Session {
 public:
  Session() : opt_(net_.parameters(), 1e-3) {}

  void micro_batch(const torch::Tensor& x, const torch::Tensor& y) {
    auto loss = loss_(net_.forward(x), y);
    loss_value_ += loss.item<float>();
    loss.backward();  // EXPECT: unscaled-accumulation
    ++micro_;
  }

  void update() {
    torch::nn::utils::clip_grad_value_(net_.parameters(), 1.0);
    opt_.step();
    opt_.zero_grad();
    std::cout << loss_value_ / micro_ << '\n';
    loss_value_ = 0;
    micro_ = 0;
  }

 private:
  Unet net_;
  torch::optim::Adam opt_;
  torch::nn::BCEWithLogitsLoss loss_;
  float loss_value_ = 0;
  int micro_ = 0;
};

int main() {
  Session session;
  for (int step = 0; step < 100; ++step) {
    for (int m = 0; m < 8; ++m) session.micro_batch(torch::rand({2, 1, 32, 32}), torch::zeros({2, 2, 32, 32}));
    session.update();
  }
}

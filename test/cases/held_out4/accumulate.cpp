#include <torch/torch.h>
#include <iostream>

struct UNetImpl : torch::nn::Module {
  UNetImpl() {
    down = register_module("down", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 16, 3).padding(1)));
    mid = register_module("mid", torch::nn::Conv2d(torch::nn::Conv2dOptions(16, 32, 3).padding(1)));
    up = register_module("up", torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(32, 16, 2).stride(2)));
    out = register_module("out", torch::nn::Conv2d(torch::nn::Conv2dOptions(32, 1, 1)));
  }
  torch::Tensor forward(torch::Tensor x) {
    auto d = torch::relu(down(x));
    auto m = torch::relu(mid(torch::max_pool2d(d, 2)));
    return out(torch::cat({torch::relu(up(m)), d}, 1));
  }
  torch::nn::Conv2d down{nullptr}, mid{nullptr};
  torch::nn::ConvTranspose2d up{nullptr};
  torch::nn::Conv2d out{nullptr};
};
TORCH_MODULE(UNet);

static torch::Tensor dice(const torch::Tensor& logits, const torch::Tensor& y) {
  auto p = torch::sigmoid(logits);
  return 1 - (2 * (p * y).sum() + 1) / (p.sum() + y.sum() + 1);
}

class Accumulator {
 public:
  Accumulator(torch::optim::Optimizer& opt, int64_t k) : opt_(opt), k_(k) { opt_.zero_grad(); }
  void backward(const torch::Tensor& loss) {
    (loss / k_).backward();
    if (++count_ == k_) flush();
  }
  void flush() {
    if (count_ == 0) return;
    opt_.step();
    opt_.zero_grad();
    count_ = 0;
  }

 private:
  torch::optim::Optimizer& opt_;
  int64_t k_, count_ = 0;
};

int main() {
  UNet net;
  torch::optim::AdamW opt(net->parameters(), torch::optim::AdamWOptions(1e-3));
  for (int epoch = 0; epoch < 20; ++epoch) {
    Accumulator acc(opt, 8);
    double sum = 0;
    for (int i = 0; i < 103; ++i) {
      auto x = torch::rand({2, 1, 64, 64});
      auto y = (torch::rand({2, 1, 64, 64}) > 0.5).to(torch::kFloat);
      auto logits = net->forward(x);
      auto loss = torch::binary_cross_entropy_with_logits(logits, y) + dice(logits, y);
      acc.backward(loss);
      sum += loss.item<double>();
    }
    acc.flush();
    std::cout << "epoch " << epoch << " " << sum / 103 << "\n";
    torch::save(net, "unet.pt");
  }
}

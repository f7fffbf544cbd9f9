#include <torch/torch.h>
#include <iostream>
struct SegImpl : torch::nn::Module {
  SegImpl() : c(torch::nn::Conv2dOptions(3, 8, 3).padding(1)), d(torch::nn::Conv2dOptions(8, 2, 1)) {
    register_module("c", c);
    register_module("d", d);
  }
  torch::Tensor forward(torch::Tensor x) { return d(torch::relu(c(x))); }
  torch::nn::Conv2d c, d;
};
TORCH_MODULE(Seg);
struct Confusion {
  torch::Tensor m = torch::zeros({2, 2}, torch::kLong);
  void add(const torch::Tensor& p, const torch::Tensor& y) { m += torch::bincount((y * 2 + p).flatten(), {}, 4).view({2, 2}); }
  double iou() const {
    auto tp = m[1][1].item<double>();
    return tp / (m[1][1] + m[0][1] + m[1][0]).item<double>();
  }
};
static torch::Tensor tta(Seg& net, const torch::Tensor& x) {
  auto a = net->forward(x);
  auto b = net->forward(x.flip(3)).flip(3);
  return (a + b) / 2;
}
static double evaluate(Seg& net, int n) {
  net->eval();
  Confusion c;
  for (int i = 0; i < n; ++i) {
    auto x = torch::rand({4, 3, 64, 64});
    c.add(tta(net, x).argmax(1), (x.mean(1) > 0.5).to(torch::kLong));
  }
  net->train();
  return c.iou();
}
int main() {
  Seg net;
  torch::optim::Adam opt(net->parameters(), 1e-3);
  for (int e = 0; e < 10; ++e) {
    for (int i = 0; i < 50; ++i) {
      auto x = torch::rand({4, 3, 64, 64});
      auto loss = torch::nn::functional::cross_entropy(net->forward(x), (x.mean(1) > 0.5).to(torch::kLong));
      opt.zero_grad();
      loss.backward();
      opt.step();
    }
    double iou = 0;
    try {
      torch::NoGradGuard no_grad;
      iou = evaluate(net, 10);
    } catch (const c10::Error& err) {
      std::cerr << err.what() << "\n";
      net->train();
    }
    std::cout << e << " " << iou << "\n";
  }
}

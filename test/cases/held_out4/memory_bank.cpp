#include <torch/torch.h>
#include <iostream>

namespace F = torch::nn::functional;

struct ProjectionImpl : torch::nn::Module {
  ProjectionImpl(int64_t in, int64_t out) {
    fc1 = register_module("fc1", torch::nn::Linear(in, 256));
    bn = register_module("bn", torch::nn::BatchNorm1d(256));
    fc2 = register_module("fc2", torch::nn::Linear(256, out));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = fc2(torch::relu(bn(fc1(x.flatten(1)))));
    return F::normalize(x, F::NormalizeFuncOptions().dim(1));
  }
  torch::nn::Linear fc1{nullptr};
  torch::nn::BatchNorm1d bn{nullptr};
  torch::nn::Linear fc2{nullptr};
};
TORCH_MODULE(Projection);

static torch::Tensor two_crops(const torch::Tensor& x, double noise) { return x + noise * torch::randn_like(x); }

static torch::Tensor info_nce(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& bank, double t) {
  auto pos = (q * k).sum(1, true);
  auto neg = q.matmul(bank.t());
  auto logits = torch::cat({pos, neg}, 1) / t;
  return F::cross_entropy(logits, torch::zeros({q.size(0)}, torch::kLong));
}

int main() {
  torch::manual_seed(0);
  const int64_t bank_size = 2048, batch = 64;
  Projection net(3 * 32 * 32, 64);
  torch::optim::Adam opt(net->parameters(), torch::optim::AdamOptions(3e-4).weight_decay(1e-6));
  auto bank = F::normalize(torch::randn({bank_size, 64}), F::NormalizeFuncOptions().dim(1));
  net->train();
  for (int epoch = 0; epoch < 10; ++epoch) {
    double running = 0;
    for (int i = 0; i < 500; ++i) {
      auto images = torch::rand({batch, 3, 32, 32});
      auto q = net->forward(two_crops(images, 0.1));
      auto k = net->forward(two_crops(images, 0.2));
      auto loss = info_nce(q, k, bank, 0.07);
      opt.zero_grad();
      loss.backward();
      opt.step();
      bank = torch::cat({k, bank}).slice(0, 0, bank_size);
      running += loss.item<double>();
    }
    std::cout << "epoch " << epoch << ": " << running / 500 << std::endl;
  }
  torch::save(net, "projection.pt");
}
